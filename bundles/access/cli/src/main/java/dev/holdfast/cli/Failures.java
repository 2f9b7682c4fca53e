package dev.holdfast.cli;

import dev.holdfast.error.StorageException;
import java.io.PrintWriter;
import java.util.function.Consumer;
import picocli.CommandLine;

/** Reports each failure of a command that continues with the rest; the exit code reports any. */
final class Failures implements Consumer<StorageException> {
  private final PrintWriter err;
  private boolean any;

  Failures(PrintWriter err) {
    this.err = err;
  }

  @Override
  public void accept(StorageException failure) {
    any = true;
    err.println("holdfast: " + failure.getMessage());
    err.flush();
  }

  int exitCode() {
    return any ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
  }
}
