package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Other projects' NBD clients that verify what they wrote, again and again. */
final class RealClients {
  private RealClients() {}

  /** fio writes and verifies what it wrote. */
  static RepeatedCommand fio(URI uri) {
    return new RepeatedCommand(
        "fio",
        () ->
            Command.of(
                    "fio",
                    "--name=replaced",
                    "--ioengine=nbd",
                    "--uri=" + uri,
                    "--rw=randwrite",
                    "--bs=16k",
                    "--iodepth=32",
                    "--size=48m",
                    "--loops=3",
                    "--verify=crc32c",
                    "--do_verify=1",
                    "--verify_fatal=1",
                    "--end_fsync=1")
                .run());
  }

  /**
   * libnbd over TLS: copies a file to the volume and back, and compares it.
   *
   * @param node the data directory of the node that serves
   * @param directory where the files are kept
   */
  static RepeatedCommand encryptedCopy(URI uri, Path node, Path directory) throws IOException {
    Path folder = Files.createTempDirectory(directory, "copied");
    Files.copy(node.resolve("tls/ca.crt"), folder.resolve("ca-cert.pem"));
    byte[] content = new byte[48 << 20];
    new Random(3).nextBytes(content);
    Path source = Files.write(folder.resolve("source"), content);
    Path target = folder.resolve("target");
    String secured = uri.toString().replace("nbd://", "nbds://") + "?tls-certificates=" + folder;
    return new RepeatedCommand(
        "nbdcopy over TLS",
        () -> {
          Command.of("nbdcopy", "--flush", source.toString(), secured).run().succeeded();
          Command.Result result = Command.of("nbdcopy", secured, target.toString()).run();
          assertThat(Files.readAllBytes(target)).startsWith(content);
          return result;
        });
  }

  /** qemu-io writes patterns and reads them back. */
  static RepeatedCommand qemu(URI uri) {
    return new RepeatedCommand(
        "qemu-io",
        () ->
            Command.of(
                    "qemu-io",
                    "-f",
                    "raw",
                    uri.toString(),
                    "-c",
                    "write -P 17 0 8M",
                    "-c",
                    "write -P 18 8M 8M",
                    "-c",
                    "flush",
                    "-c",
                    "read -P 17 0 8M",
                    "-c",
                    "read -P 18 8M 8M")
                .run());
  }
}
