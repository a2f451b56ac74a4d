mod cuts;
mod derive;
mod laws;
mod memory;
mod worlds;
