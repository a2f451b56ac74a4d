
mod worlds;
