package dev.holdfast.store.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.LabelSelector;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreFileTest {
  @TempDir Path directory;
  private Path path;

  @BeforeEach
  void choosePath() {
    path = directory.resolve("store").resolve("holdfast.db");
  }

  private EmbeddedResourceStore open() throws StorageException {
    return new EmbeddedResourceStore(path, Clock.systemUTC(), 100);
  }

  private StorageException openFails() {
    StorageException e = catchThrowableOfType(StorageException.class, this::open);
    assertThat(e).as("opening must fail").isNotNull();
    assertThat(e).hasMessageContaining(path.toString());
    return e;
  }

  private void execute(String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + path);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  @Test
  void directoriesAreMadeForTheOwnerOnly() throws Exception {
    open().close();

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path.getParent())))
        .isEqualTo("rwx------");
  }

  @Test
  void writesArePresentAfterReopening() throws Exception {
    Setting created;
    String version;
    try (EmbeddedResourceStore store = open()) {
      created = store.create(Setting.of("a", new SettingSpec("1")));
      store.create(Setting.of("b", new SettingSpec("1")));
      store.delete(Setting.KIND, "b", "");
      version = store.list(Setting.KIND, LabelSelector.ALL).resourceVersion();
    }

    try (EmbeddedResourceStore store = open()) {
      assertThat(store.list(Setting.KIND, LabelSelector.ALL).items()).containsExactly(created);
      assertThat(store.list(Setting.KIND, LabelSelector.ALL).resourceVersion()).isEqualTo(version);
      Setting next = store.create(Setting.of("c", new SettingSpec("1")));
      assertThat(Long.parseLong(next.metadata().resourceVersion()))
          .isEqualTo(Long.parseLong(version) + 1);
    }
  }

  @Test
  void aSecondOpeningIsRefused() throws Exception {
    try (EmbeddedResourceStore first = open()) {
      StorageException e = openFails();

      assertThat(e.code()).isEqualTo(ErrorCode.BUSY);
      assertThat(e)
          .hasMessageContaining("already open in process " + ProcessHandle.current().pid());
      first.create(Setting.of("a", new SettingSpec("the first one still works")));
    }
    open().close();
  }

  @Test
  void newerSchemaIsRejectedAndNotChanged() throws Exception {
    open().close();
    execute("PRAGMA user_version = 99");

    StorageException e = openFails();

    assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED);
    assertThat(e).hasMessageContaining("schema 99").hasMessageContaining("up to 1");
    execute("PRAGMA user_version = 1");
    open().close();
  }

  @Test
  void anotherSqliteFileIsRefused() throws Exception {
    Files.createDirectories(path.getParent());
    execute("CREATE TABLE songs (title TEXT)");

    assertThat(openFails().code()).isEqualTo(ErrorCode.UNSUPPORTED);
  }

  @Test
  void aFileOfSomethingElseIsReportedAsDamaged() throws Exception {
    Files.createDirectories(path.getParent());
    Files.writeString(path, "no database ".repeat(1000));

    StorageException e = openFails();

    assertThat(e.code()).isEqualTo(ErrorCode.IO);
    assertThat(e).hasMessageContaining("is damaged").hasMessageContaining("backup");
  }

  @Test
  void damagedPagesAreFoundAtTheStart() throws Exception {
    try (EmbeddedResourceStore store = open()) {
      for (int i = 0; i < 100; i++) {
        store.create(Setting.of("a" + i, new SettingSpec("x".repeat(500))));
      }
    }
    execute("PRAGMA wal_checkpoint(TRUNCATE)");
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      for (long page = 8; page * 4096 < file.length() && page < 16; page++) {
        file.seek(page * 4096);
        file.write(new byte[2048]);
      }
    }

    StorageException e = openFails();

    assertThat(e.code()).isEqualTo(ErrorCode.IO);
    assertThat(e).hasMessageContaining("is damaged");
  }

  @Test
  void schemasAreMigratedStepByStep() throws Exception {
    try (EmbeddedResourceStore store = open()) {
      store.create(Setting.of("a", new SettingSpec("1")));
    }
    List<SchemaMigrations.Step> steps = new ArrayList<>(SchemaMigrations.ALL.steps());
    steps.add(
        new SchemaMigrations.Step(
            List.of(
                "ALTER TABLE resource ADD COLUMN colour TEXT",
                "UPDATE resource SET colour = 'red'")));
    steps.add(
        new SchemaMigrations.Step(
            List.of("CREATE TABLE seen AS SELECT name, colour FROM resource")));

    StoreFile.open(path, new SchemaMigrations(steps)).close();

    execute("UPDATE seen SET colour = 'blue' WHERE name = 'a' AND colour = 'red'");
    assertThat(openFails()).hasMessageContaining("has schema 3");
  }

  @Test
  void copyFromBeforeTheSchemaChangeIsKeptForADowngrade() throws Exception {
    try (EmbeddedResourceStore store = open()) {
      store.create(Setting.of("a", new SettingSpec("1")));
    }
    List<SchemaMigrations.Step> steps = new ArrayList<>(SchemaMigrations.ALL.steps());
    steps.add(new SchemaMigrations.Step(List.of("DROP TABLE dropped")));
    StoreFile.open(path, new SchemaMigrations(steps)).close();
    StoreFile.open(path, new SchemaMigrations(steps)).close();
    Path kept = path.resolveSibling(path.getFileName() + ".schema-1");
    assertThat(openFails()).hasMessageContaining("schema-N");

    Files.move(kept, path, StandardCopyOption.REPLACE_EXISTING);

    try (EmbeddedResourceStore store = open()) {
      assertThat(store.get(Setting.KIND, "a")).isPresent();
    }
    assertThat(kept).doesNotExist();
  }

  @Test
  void aMigrationThatFailsChangesNothing() throws Exception {
    try (EmbeddedResourceStore store = open()) {
      store.create(Setting.of("a", new SettingSpec("1")));
    }
    List<SchemaMigrations.Step> steps = new ArrayList<>(SchemaMigrations.ALL.steps());
    steps.add(new SchemaMigrations.Step(List.of("DROP TABLE change", "NONSENSE")));

    assertThat(
            catchThrowableOfType(
                StorageException.class,
                () -> StoreFile.open(path, new SchemaMigrations(steps)).close()))
        .isNotNull();

    try (EmbeddedResourceStore store = open()) {
      assertThat(store.get(Setting.KIND, "a")).isPresent();
    }
  }
}
