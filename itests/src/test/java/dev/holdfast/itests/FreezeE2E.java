package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots of a mounted filesystem that is frozen for them, through its own data path. */
@Tag("soak")
class FreezeE2E {
  private static final String FROZEN = "\"filesystemFrozen\" : true";
  private static final byte[] CONTENT =
      "every byte of it".repeat(50_000).getBytes(StandardCharsets.UTF_8);

  @TempDir Path directory;

  private Path mounted() {
    return directory.resolve("mounted");
  }

  private RunningNode mountedNode() {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    RunningNode node = RunningNode.start(directory.resolve("data"));
    node.ok("volume", "create", "files", "--size", "64Mi", "--replicas", "2");
    node.ok("mount", "files", mounted().toString());
    return node;
  }

  /** Files that were not synced are complete in a frozen snapshot, and only there. */
  @Test
  void aFrozenSnapshotNeedsNoRecoveryAndHasEveryFile() throws IOException {
    try (RunningNode node = mountedNode()) {
      try {
        Files.write(mounted().resolve("early"), CONTENT);
        node.ok("snapshot", "create", "files", "torn");
        node.ok("volume", "set", "files", "--freeze-filesystem-for-snapshot", "enabled");
        Files.write(mounted().resolve("unsynced"), CONTENT);
        node.ok("snapshot", "create", "files", "clean");
        Files.write(mounted().resolve("later"), CONTENT);
        assertThat(superblock(exported(node, "torn"))).contains("needs_recovery");
        assertSound(exported(node, "clean"));
      } finally {
        node.run("umount", "files");
      }
      String snapshots = node.ok("snapshot", "list", "files", "-o", "json");
      assertThat(snapshots.split(FROZEN, -1)).as("one was frozen").hasSize(2);
    }
  }

  private void assertSound(Path image) throws IOException {
    assertThat(superblock(image)).doesNotContain("needs_recovery");
    Command.of("e2fsck", "-f", "-n", image.toString()).run().succeeded();
    Path seen = Files.createDirectories(directory.resolve("seen"));
    Command.of("mount", "-o", "ro,noload,loop", image.toString(), seen.toString())
        .run()
        .succeeded();
    try {
      assertThat(seen.resolve("early")).hasBinaryContent(CONTENT);
      assertThat(seen.resolve("unsynced")).hasBinaryContent(CONTENT);
      assertThat(seen.resolve("later")).doesNotExist();
    } finally {
      Command.of("umount", seen.toString()).run().succeeded();
    }
  }

  private Path exported(RunningNode node, String snapshot) {
    Path file = directory.resolve(snapshot + ".img");
    node.ok("volume", "export", "files", file.toString(), "--snapshot", snapshot);
    return file;
  }

  private static String superblock(Path image) {
    return Command.of("dumpe2fs", "-h", image.toString()).run().succeeded().out();
  }
}
