//! One command, one file: arguments and a call.
