mod bin;
mod source;
mod stage;

mod cli;
mod cuts;
mod derive;
mod docs;
mod git;
mod kills;
mod laws;
mod layers;
mod memory;
mod real_cli;
mod sessions;
mod shipped;
mod tidy;
mod worlds;
