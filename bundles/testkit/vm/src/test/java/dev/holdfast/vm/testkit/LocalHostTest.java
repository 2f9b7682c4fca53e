package dev.holdfast.vm.testkit;

import dev.holdfast.host.Host;
import dev.holdfast.host.LocalHost;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class LocalHostTest extends HostContract {
  @TempDir private Path folder;

  @Override
  protected Host host() {
    return new LocalHost();
  }

  @Override
  protected Path folder() throws Exception {
    return folder.toRealPath();
  }
}
