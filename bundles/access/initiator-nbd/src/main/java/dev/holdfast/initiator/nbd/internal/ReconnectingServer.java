package dev.holdfast.initiator.nbd.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.QemuCredential;
import dev.holdfast.initiator.HostProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The process between a device and its node: {@code qemu-nbd} as a server that reconnects to the
 * node automatically. The device never observes a broken connection.
 */
final class ReconnectingServer {
  static final String PROGRAM = "qemu-nbd";
  private static final String PACKAGE = "qemu-utils";

  private ReconnectingServer() {}

  static Path program() throws StorageException {
    return HostProgram.require(PROGRAM, PACKAGE);
  }

  static Optional<String> obstacle() {
    return HostProgram.find(PROGRAM).isPresent()
        ? Optional.empty()
        : Optional.of(PROGRAM + " is not installed: apt-get install " + PACKAGE);
  }

  static List<String> command(Path run, NbdEndpoint endpoint) throws StorageException {
    List<String> command = new ArrayList<>();
    command.add(program().toString());
    command.addAll(endpoint.credential().map(QemuCredential::options).orElse(List.of()));
    command.addAll(
        List.of(
            "--persistent",
            "--discard=unmap",
            "--pid-file=" + run.resolve("pid"),
            "json:" + endpoint.blockNode()));
    return command;
  }

  static void clean(Path run) throws StorageException {
    try {
      Files.deleteIfExists(run.resolve("pid"));
    } catch (IOException e) {
      throw StorageException.io(run.toString(), e);
    }
  }
}
