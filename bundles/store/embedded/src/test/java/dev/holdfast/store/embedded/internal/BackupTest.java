package dev.holdfast.store.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.LabelSelector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupTest {
  @TempDir Path directory;
  private EmbeddedResourceStore store;

  @BeforeEach
  void open() throws Exception {
    store = open(directory.resolve("store.db"));
  }

  @AfterEach
  void close() throws Exception {
    store.close();
  }

  private static EmbeddedResourceStore open(Path file) throws StorageException {
    return new EmbeddedResourceStore(file, Clock.systemUTC(), 100);
  }

  private static Setting setting(String name, String value) {
    return Setting.of(name, new SettingSpec(value));
  }

  @Test
  void aBackupIsAWholeStore() throws Exception {
    Setting a = store.create(setting("a", "1"));
    Path backup = directory.resolve("backup.db");

    store.backUp(backup);
    store.create(setting("b", "later"));

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(backup)))
        .isEqualTo("rw-------");
    try (EmbeddedResourceStore restored = open(backup)) {
      assertThat(restored.list(Setting.KIND, LabelSelector.ALL).items()).containsExactly(a);
      assertThat(restored.create(setting("c", "1")).metadata().resourceVersion()).isEqualTo("2");
    }
  }

  /**
   * Two resources are always written in order, so a snapshot must never contain a newer second
   * resource.
   */
  @Test
  void aBackupUnderWritesIsOneMoment() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    store.create(setting("first", "0"));
    store.create(setting("second", "0"));
    CompletableFuture<Void> firstWritten = new CompletableFuture<>();
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              try {
                for (int i = 1; !stop.get(); i++) {
                  raise("first", i);
                  raise("second", i);
                  firstWritten.complete(null);
                }
              } catch (StorageException e) {
                firstWritten.completeExceptionally(e);
                throw new IllegalStateException(e);
              }
            });
    firstWritten.join();
    for (int i = 0; i < 5; i++) {
      store.backUp(directory.resolve("backup-" + i));
    }
    stop.set(true);
    writer.join();

    for (int i = 0; i < 5; i++) {
      try (EmbeddedResourceStore restored = open(directory.resolve("backup-" + i))) {
        assertThat(value(restored, "first") - value(restored, "second")).isBetween(0, 1);
      }
    }
  }

  private void raise(String name, int value) throws StorageException {
    Setting before = store.get(Setting.KIND, name).orElseThrow();
    store.update(before.withSpec(new SettingSpec("" + value)));
  }

  private static int value(EmbeddedResourceStore from, String name) throws StorageException {
    return Integer.parseInt(from.get(Setting.KIND, name).orElseThrow().spec().value());
  }

  @Test
  void aBackupReplacesNothing() throws Exception {
    Path taken = Files.writeString(directory.resolve("taken"), "precious");

    StorageException e = catchThrowableOfType(StorageException.class, () -> store.backUp(taken));

    assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_EXISTS);
    assertThat(taken).hasContent("precious");
  }

  @Test
  void aFailedBackupLeavesNothing() throws Exception {
    StorageException e =
        catchThrowableOfType(
            StorageException.class, () -> store.backUp(directory.resolve("missing/backup")));

    assertThat(e.code()).isEqualTo(ErrorCode.IO);
    try (var files = Files.list(directory)) {
      List<String> names = files.map(file -> file.getFileName().toString()).toList();
      assertThat(names).allMatch(name -> name.startsWith("store.db"));
    }
  }
}
