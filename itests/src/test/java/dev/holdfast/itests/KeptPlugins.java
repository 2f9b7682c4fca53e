package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Plugins that were made from the archetypes of earlier releases and are kept as jars. */
final class KeptPlugins {
  /** The folder of the jars, including those for earlier major versions. */
  static final Path FOLDER =
      Path.of(System.getProperty("holdfast.tree")).resolve("itests/old-plugins").normalize();

  /** The frontend listens at any free port. */
  static final String JAVA_OPTIONS = "-Dholdfast.kept-frontend.port=0";

  private final RunningNode node;

  KeptPlugins(RunningNode node) {
    this.node = node;
  }

  /** Returns those for the present major versions, oldest first. */
  static List<Path> jars() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files
          .filter(file -> file.getFileName().toString().matches("kept-.*-for-.*\\.jar"))
          .sorted()
          .toList();
    }
  }

  /** Fails unless an installed plugin does its work. */
  void works(Path jar) throws IOException {
    String name = jar.getFileName().toString().split("-for-", 2)[0];
    if (name.equals("kept-engine")) {
      engineServesAVolume(name);
    } else if (name.equals("kept-frontend")) {
      frontendServesAVolume(name);
    }
  }

  private void engineServesAVolume(String engine) throws IOException {
    create("--engine", engine);
    try (NbdConnection connection = new NbdConnection(node.attach("kept"))) {
      byte[] content = {1, 2, 3, 4};
      assertThat(connection.write(4096, content)).isZero();
      assertThat(connection.read(4096, 4)).isEqualTo(content);
    }
    remove();
  }

  private void frontendServesAVolume(String frontend) throws IOException {
    create("--frontend", frontend);
    URI endpoint = node.attach("kept");
    try (Socket socket = new Socket(endpoint.getHost(), endpoint.getPort())) {
      String expected = "OK " + (1 << 20) + "\n";
      socket.getOutputStream().write("ATTACH kept\n".getBytes(StandardCharsets.UTF_8));
      assertThat(socket.getInputStream().readNBytes(expected.length()))
          .asString(StandardCharsets.UTF_8)
          .isEqualTo(expected);
    }
    remove();
  }

  private void create(String option, String value) {
    node.ok("volume", "create", "kept", "--size", "1Mi", "--replicas", "1", option, value);
  }

  private void remove() {
    node.ok("volume", "detach", "kept");
    node.ok("volume", "delete", "kept", "--grace", "0s");
  }
}
