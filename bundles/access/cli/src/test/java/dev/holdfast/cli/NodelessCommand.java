package dev.holdfast.cli;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * Result of a command that needs no node: a connection to one fails.
 *
 * @param out standard output without the blanks at its ends
 * @param err standard error without the blanks at its ends
 */
record NodelessCommand(int exitCode, String out, String err) {
  static NodelessCommand run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        Main.commandLine(
                kubeconfig -> {
                  throw new StorageException(ErrorCode.INTERNAL, "a node was asked for");
                },
                arguments)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err, true))
            .execute(arguments);
    return new NodelessCommand(exitCode, out.toString().strip(), err.toString().strip());
  }
}
