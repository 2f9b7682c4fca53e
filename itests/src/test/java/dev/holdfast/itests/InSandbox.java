package dev.holdfast.itests;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Tests in a real Kubernetes of three nodes: one sandbox serves all tests of a class. */
abstract class InSandbox {
  @TempDir static Path directory;
  static Sandbox sandbox;

  @BeforeAll
  static void start() throws IOException {
    Sandbox.assumePossible();
    sandbox = Sandbox.start(directory);
  }

  @AfterAll
  static void stop() throws IOException {
    if (sandbox != null) {
      sandbox.close();
      sandbox = null;
    }
  }

  static PodWriter writer(String pod) {
    return new PodWriter(sandbox, pod);
  }
}
