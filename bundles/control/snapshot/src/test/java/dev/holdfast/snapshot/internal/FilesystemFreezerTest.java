package dev.holdfast.snapshot.internal;

import static dev.holdfast.snapshot.internal.LoopFilesystem.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.LocalHost;
import dev.holdfast.initiator.HostState;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Freezes a real filesystem: tests the content of a snapshot, and that it never stays frozen. */
@Timeout(120)
class FilesystemFreezerTest {
  private static final byte[] CONTENT =
      "every byte of it".repeat(10_000).getBytes(StandardCharsets.UTF_8);

  @TempDir private Path folder;
  private LoopFilesystem filesystem;

  @BeforeEach
  void mount() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    filesystem = new LoopFilesystem(folder);
  }

  @AfterEach
  void unmount() throws Exception {
    if (filesystem != null) {
      filesystem.close();
    }
  }

  private Path data() {
    return folder.resolve("data");
  }

  private FilesystemFreezer freezer(Duration frozen) {
    return new FilesystemFreezer(
        new LocalHost(),
        data(),
        LoopFilesystem.mounts(data(), filesystem.device),
        new FilesystemFreezer.Limits(Duration.ofSeconds(60), Duration.ofSeconds(60), frozen));
  }

  private FilesystemFreezer freezer() {
    return freezer(Duration.ofSeconds(60));
  }

  private List<String> records() throws StorageException {
    return new HostState(data().resolve("frozen")).volumes();
  }

  /** Freezes again as soon as an earlier freeze has ended. */
  private static FilesystemFreezer.Frozen again(FilesystemFreezer freezer) throws Exception {
    while (true) {
      try {
        return freezer.freeze(VOLUME).orElseThrow();
      } catch (StorageException e) {
        assertThat(e).hasMessageContaining("earlier freeze");
      }
    }
  }

  private void untilForgotten() throws Exception {
    while (!records().isEmpty()) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  /** Returns the guards of a process. */
  private static List<ProcessHandle> guards(ProcessHandle of) {
    return of.children()
        .filter(child -> child.info().command().orElse("").contains("perl"))
        .toList();
  }

  @Test
  void copyOfAFrozenFilesystemNeedsNoRecoveryAndHasEveryFile() throws Exception {
    filesystem.write("unsynced", CONTENT);
    Path torn = filesystem.copy(folder.resolve("torn"));
    FilesystemFreezer.Frozen frozen = freezer().freeze(VOLUME).orElseThrow();
    Path clean = filesystem.copy(folder.resolve("clean"));
    assertThat(frozen.thaw()).isEmpty();

    assertThat(LoopFilesystem.needsRecovery(torn)).isTrue();
    assertThat(LoopFilesystem.needsRecovery(clean)).isFalse();
    LoopFilesystem.check("e2fsck", "-f", "-n", clean.toString());
    Path found = folder.resolve("found");
    LoopFilesystem.check("debugfs", "-R", "dump /unsynced " + found, clean.toString());
    assertThat(found).hasBinaryContent(CONTENT);
  }

  @Test
  void writersWaitUntilItIsThawed() throws Exception {
    FilesystemFreezer.Frozen frozen = freezer().freeze(VOLUME).orElseThrow();
    var writer = filesystem.writing("late");
    assertThat(filesystem.isFrozen()).isTrue();
    assertThat(writer).isNotDone();
    assertThat(records()).containsExactly(VOLUME);
    assertThat(frozen.thaw()).isEmpty();
    writer.join();
    untilForgotten();
  }

  @Test
  void freezeEndsAtTheLimit() throws Exception {
    FilesystemFreezer.Frozen frozen = freezer(Duration.ofSeconds(1)).freeze(VOLUME).orElseThrow();
    filesystem.writing("continues").join();
    assertThat(frozen.thaw().orElseThrow()).contains("thawed after 1 s");
  }

  @Test
  void filesystemThawedByAUserIsNotReportedAsFrozen() throws Exception {
    FilesystemFreezer.Frozen frozen = freezer().freeze(VOLUME).orElseThrow();
    assertThat(filesystem.thawByHand()).isTrue();
    assertThat(frozen.thaw().orElseThrow()).contains("another program");
  }

  @Test
  void filesystemFrozenByAUserStaysFrozen() throws Exception {
    FilesystemFreezer freezer = freezer();
    filesystem.freezeByHand();
    assertThatThrownBy(() -> freezer.freeze(VOLUME)).hasMessageContaining("frozen already");
    untilForgotten();
    assertThat(filesystem.thawByHand()).isTrue();
    assertThat(again(freezer).thaw()).isEmpty();
  }

  @Test
  void oneFreezeCanFollowAnotherAtOnce() throws Exception {
    FilesystemFreezer freezer = freezer();
    for (int i = 0; i < 5; i++) {
      assertThat(freezer.freeze(VOLUME).orElseThrow().thaw()).isEmpty();
    }
  }

  @Test
  void volumeWithoutAMountIsIgnored() throws Exception {
    assertThat(freezer().freeze("other")).isEmpty();
    assertThat(records()).isEmpty();
  }

  @Test
  void killedGuardLeavesNoFilesystemFrozen() throws Exception {
    FilesystemFreezer.Frozen frozen = freezer().freeze(VOLUME).orElseThrow();
    assertThat(guards(ProcessHandle.current())).hasSize(1);
    guards(ProcessHandle.current()).forEach(ProcessHandle::destroyForcibly);
    filesystem.writing("continues").join();
    assertThat(frozen.thaw().orElseThrow()).contains("ended early: killed");
    untilForgotten();
  }

  @Test
  void killedNodeLeavesNoFilesystemFrozen() throws Exception {
    Process node = freezingNode();
    var writer = filesystem.writing("continues");
    node.destroyForcibly().waitFor();
    writer.join();
    freezer();
    untilForgotten();
  }

  @Test
  void filesystemFrozenByAKilledNodeAndGuardIsThawedAtTheNextStart() throws Exception {
    Process node = freezingNode();
    LoopFilesystem.check("kill", "-STOP", Long.toString(node.pid()));
    ProcessHandle guard = guards(node.toHandle()).get(0);
    guard.destroyForcibly();
    node.destroyForcibly().waitFor();
    guard.onExit().join();
    var writer = filesystem.writing("continues");
    assertThat(filesystem.isFrozen()).isTrue();
    assertThat(writer).isNotDone();

    FilesystemFreezer next = freezer();
    writer.join();
    untilForgotten();
    assertThat(again(next).thaw()).isEmpty();
  }

  @Test
  void aFreezeOfAnEarlierBootIsForgotten() throws Exception {
    new HostState(data().resolve("frozen")).write(VOLUME, "[\"an earlier one\",\"7:0\"]");
    filesystem.freezeByHand();
    freezer();
    untilForgotten();
    assertThat(filesystem.thawByHand()).as("no other program thawed it").isTrue();
  }

  private Process freezingNode() throws Exception {
    Process node =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                FreezingProcess.class.getName(),
                data().toString(),
                filesystem.device)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader told = node.inputReader(StandardCharsets.UTF_8);
    assertThat(told.readLine()).isEqualTo("frozen");
    return node;
  }
}
