package dev.holdfast.share.nfs.internal;

import dev.holdfast.share.testkit.ShareServerKit;
import dev.holdfast.share.testkit.ShareServerLab;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The contract of servers of shares, with the real Ganesha of this host. */
@Tag("slow")
class NfsShareServerKitTest extends ShareServerKit {
  @TempDir Path folder;

  @Override
  protected ShareServerLab open() throws Exception {
    return new NfsShareLab(Files.createTempDirectory(folder, "host"));
  }
}
