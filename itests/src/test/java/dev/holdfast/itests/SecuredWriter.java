package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A client of libnbd that writes blocks and reads them back all the time, by one connection that it
 * never makes again. It ends with an error when the connection ends or a block differs.
 */
final class SecuredWriter implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 60;
  private static final String PROGRAM =
      """
      import nbd, select, sys
      h = nbd.NBD()
      h.set_uri_allow_local_file(True)
      h.connect_uri(sys.argv[1])
      print('ready', flush=True)
      count = 0
      try:
          while not select.select([sys.stdin], [], [], 0)[0]:
              block = bytes([count % 251]) * 4096
              h.pwrite(block, count % 256 * 4096)
              assert h.pread(4096, count % 256 * 4096) == block
              count += 1
      finally:
          print(count, flush=True)
      """;

  private final Process process;
  private final BufferedReader out;
  private final Path errors;

  private SecuredWriter(Process process, Path errors) {
    this.process = process;
    this.out = process.inputReader();
    this.errors = errors;
  }

  /** Connects; fails when the client is refused. */
  static SecuredWriter start(String uri, Path errors) throws IOException {
    Process process =
        new ProcessBuilder("/usr/bin/python3", "-c", PROGRAM, uri)
            .redirectError(errors.toFile())
            .start();
    SecuredWriter writer = new SecuredWriter(process, errors);
    assertThat(writer.out.readLine()).as(Files.readString(errors)).isEqualTo("ready");
    return writer;
  }

  /** Stops it after it worked without an error; returns the number of blocks. */
  long stop() throws IOException, InterruptedException {
    process.outputWriter().close();
    long blocks = blocks();
    assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
    return blocks;
  }

  /** Waits until it ends with an error; returns the number of blocks before. */
  long broken() throws IOException, InterruptedException {
    long blocks = blocks();
    assertThat(process.exitValue()).isNotZero();
    return blocks;
  }

  private long blocks() throws IOException, InterruptedException {
    String count = out.readLine();
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    return Long.parseLong(count);
  }

  boolean works() {
    return process.isAlive();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
