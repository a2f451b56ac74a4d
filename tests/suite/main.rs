
mod worlds;
mod laws;
