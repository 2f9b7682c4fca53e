package dev.holdfast.kube.testkit;

import java.io.IOException;
import java.nio.file.Path;

/** The programs of Kubernetes that tests use as they are. */
public final class KubeTools {
  private KubeTools() {}

  /**
   * Returns where a program is, built at its pinned version if it is not yet.
   *
   * @param name as {@code itests/lib/kube-tools} knows it, not null
   * @throws IOException when it cannot be had
   */
  public static Path program(String name) throws IOException {
    return Path.of(TestProgram.path(name));
  }

  /**
   * Returns the root of the source tree that the test runs in, never null.
   *
   * @throws IOException when it runs elsewhere
   */
  public static Path tree() throws IOException {
    return TestProgram.root();
  }
}
