package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Targets are opened with their secrets, whose values must not appear in any output of the node.
 */
@Tag("slow")
class TargetCredentialsTest extends BackupLab {
  private static final String PLANTED = "planted-token-4711";
  private static final String WRONG = "planted-wrong-0815";

  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private final StringBuilder written = new StringBuilder();
  private PrintStream err;

  @BeforeEach
  void recordLog() {
    err = System.err;
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    targets.token = PLANTED;
  }

  @AfterEach
  void restoreLog() {
    System.setErr(err);
  }

  private void change(UnaryOperator<BackupTargetSpec> change) throws StorageException {
    while (true) {
      BackupTarget target = store.get(BackupTarget.KIND, BackupTarget.DEFAULT_NAME).orElseThrow();
      try {
        store.update(target.withSpec(change.apply(target.spec())));
        return;
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
      }
    }
  }

  private void secret(String value) {
    targets.secrets.put(
        "minio", Map.of(MemoryTargets.TOKEN, value.getBytes(StandardCharsets.UTF_8)));
  }

  private void awaitObstacle(String text) throws Exception {
    Awaiting.until(
        store,
        BackupTarget.KIND,
        BackupTarget.DEFAULT_NAME,
        target -> !target.status().available() && target.obstacle().contains(text));
    recordResources();
  }

  @Test
  void secretOpensTheTargetAndStaysHidden() throws Exception {
    change(spec -> spec.withCredentialSecret("minio"));
    awaitObstacle("secret minio does not exist on this node");
    secret(WRONG);
    change(spec -> spec.withCompressionMethod("none"));
    awaitObstacle("another token");
    secret(PLANTED);
    change(spec -> spec.withCompressionMethod("lz4"));
    Awaiting.until(
        store, BackupTarget.KIND, BackupTarget.DEFAULT_NAME, t -> t.status().available());

    write("from", 0, 7);
    byte[] expected = content("from");
    request("backup-1");
    Backup backup = completed("backup-1");
    make("copy", SIZE, spec -> spec.withFromBackup(backup.status().url()));
    Awaiting.until(store, Volume.KIND, "copy", Volume::isBeingCopied);
    open("copy", false);
    Awaiting.until(
        store, Volume.KIND, "copy", v -> v.status().restore().state() == CloneState.COMPLETED);
    close("copy");
    open("copy", true);
    assertThat(content("copy")).isEqualTo(expected);
    store.delete(Backup.KIND, "backup-1", "");
    Awaiting.untilGone(store, Backup.KIND, "backup-1");
    node.close();

    recordResources();
    assertThat(written + log.toString(StandardCharsets.UTF_8))
        .contains("secret minio does not exist", "another token", "BackupCompleted")
        .doesNotContain(PLANTED, WRONG);
    assertThat(filesWith(PLANTED, WRONG)).isEmpty();
  }

  /** Records all current resources, including events. */
  private void recordResources() throws StorageException {
    for (ResourceKind<?> kind : KindCatalogue.load().kinds()) {
      list(kind).forEach(resource -> written.append(resource).append('\n'));
    }
  }

  private <R extends Resource<R>> List<R> list(ResourceKind<R> kind) throws StorageException {
    return store.list(kind, LabelSelector.ALL).items();
  }

  /** Returns the files of the node that contain one of the texts. */
  private List<String> filesWith(String... texts) throws Exception {
    List<String> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String content = Files.readString(file, StandardCharsets.ISO_8859_1);
        for (String text : texts) {
          if (content.contains(text)) {
            found.add(file.toString());
          }
        }
      }
    }
    return found;
  }
}
