package dev.holdfast.upgrader.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;

/** Content of the jar of an installed bundle. */
class JarContentTest {
  private static final String MANIFEST = "META-INF/MANIFEST.MF";

  @TempDir private Path folder;

  @Test
  void aBundleThatIsUpdatedDuringTheReadingIsReadAgain() throws Exception {
    Path manifest = folder.resolve("manifest");
    Files.writeString(manifest, "Manifest-Version: 1.0\nBundle-SymbolicName: a.bundle\n");
    AtomicBoolean closed = new AtomicBoolean(true);
    Bundle bundle =
        (Bundle)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Bundle.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "getLastModified" -> 1L;
                      case "getEntryPaths" -> Collections.enumeration(List.of(MANIFEST));
                      case "getEntry" -> {
                        if (closed.getAndSet(false)) {
                          throw new NullPointerException("the revision's content");
                        }
                        yield manifest.toUri().toURL();
                      }
                      default -> throw new UnsupportedOperationException(method.getName());
                    });
    assertThat(JarContent.of(bundle).isBundle()).isTrue();
    assertThat(closed).isFalse();
  }
}
