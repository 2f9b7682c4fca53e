package dev.holdfast.store.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.runtime.WriteRules;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SQLite's page limit simulates a full disk, because both cause SQLITE_FULL. */
class FullDiskTest {
  private final ResourceJson json = new ResourceJson();
  private final WriteRules rules =
      new WriteRules(json, Clock.systemUTC(), () -> UUID.randomUUID().toString());

  @Test
  void aWriteThatDoesNotFitHasNoEffectAndLaterOnesSucceed(@TempDir Path directory)
      throws Exception {
    StoreFile file = StoreFile.open(directory.resolve("store.db"), SchemaMigrations.ALL);
    WriteQueue queue =
        new WriteQueue(
            () -> new StoreWriter(limited(file.writeConnection()), json, 100),
            () -> false,
            file.errors(),
            kind -> {});
    try (ReaderPool pool = new ReaderPool(file)) {
      StoreReader reader = new StoreReader(pool, json);
      create(queue, "small");

      StorageException e =
          catchThrowableOfType(StorageException.class, () -> create(queue, large("big")));

      assertThat(e.code()).isEqualTo(ErrorCode.NO_SPACE);
      assertThat(e).hasMessageContaining("no space is left");
      assertThat(reader.get(Setting.KIND, "big")).isEmpty();
      create(queue, "after");
      assertThat(reader.changesAfter(Setting.KIND, 0, 10))
          .extracting(change -> change.version())
          .containsExactly(1L, 2L);
    } finally {
      queue.close();
      file.close();
    }
  }

  @Test
  void deletionsSucceedWhenTheFileCannotGrow(@TempDir Path directory) throws Exception {
    StoreFile file = StoreFile.open(directory.resolve("store.db"), SchemaMigrations.ALL);
    WriteQueue queue =
        new WriteQueue(
            () -> new StoreWriter(limited(file.writeConnection()), json, 4096),
            () -> false,
            file.errors(),
            kind -> {});
    try (ReaderPool pool = new ReaderPool(file)) {
      StoreReader reader = new StoreReader(pool, json);
      List<String> made = createUntilFull(queue);
      assertThat(made).hasSizeGreaterThan(10);
      for (String name : made) {
        Setting found = reader.get(Setting.KIND, name).orElseThrow();
        Setting marked = found.withSpec(new SettingSpec("y".repeat(2000)));
        queue.write(Setting.KIND, name, stored -> rules.update(stored, marked));
        String uid = found.metadata().uid();
        queue.write(Setting.KIND, name, stored -> rules.delete(stored, Setting.KIND, name, uid));
      }
      assertThat(reader.get(Setting.KIND, made.get(0))).isEmpty();
    } finally {
      queue.close();
      file.close();
    }
  }

  private List<String> createUntilFull(WriteQueue queue) throws StorageException {
    List<String> made = new ArrayList<>();
    while (true) {
      String name = "s" + made.size();
      try {
        create(queue, setting(name, "x".repeat(2000)));
        made.add(name);
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.NO_SPACE);
        return made;
      }
    }
  }

  private static Connection limited(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA max_page_count = 60");
    }
    connection.rollback();
    return connection;
  }

  /** Returns a resource that exceeds the remaining space of the file. */
  private static Setting large(String name) {
    Setting small = setting(name, "1");
    return small.withMetadata(
        small.metadata().withAnnotations(Map.of("filler", "x".repeat(250_000))));
  }

  private static Setting setting(String name, String value) {
    return Setting.of(name, new SettingSpec(value));
  }

  private void create(WriteQueue queue, String name) throws StorageException {
    create(queue, setting(name, "1"));
  }

  private void create(WriteQueue queue, Setting setting) throws StorageException {
    queue.write(Setting.KIND, setting.name(), stored -> rules.create(stored, setting));
  }
}
