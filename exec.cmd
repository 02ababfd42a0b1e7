@rem The npm scripts use exec, so that a SIGTERM to npm reaches node. cmd.exe has no exec and finds this file instead.
@%*
