package dev.holdfast.kube.testkit;

import java.io.IOException;
import java.nio.file.Path;

/** The unmodified programs of Kubernetes for tests. */
public final class KubeTools {
  private KubeTools() {}

  /**
   * Returns the path of a program; builds a missing one at its pinned version.
   *
   * @param name name in {@code itests/lib/kube-tools}, not null
   * @throws IOException when the program is unavailable
   */
  public static Path program(String name) throws IOException {
    return Path.of(TestProgram.path(name));
  }

  /**
   * Returns the root of the test's source tree, never null.
   *
   * @throws IOException when the test runs elsewhere
   */
  public static Path tree() throws IOException {
    return TestProgram.root();
  }
}
