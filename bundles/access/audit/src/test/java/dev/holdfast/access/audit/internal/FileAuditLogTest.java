package dev.holdfast.access.audit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.access.audit.AuditFilter;
import dev.holdfast.access.audit.AuditFolder;
import dev.holdfast.audit.AuditEvent;
import dev.holdfast.audit.AuditObject;
import dev.holdfast.audit.AuditSubject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of the audit log. */
class FileAuditLogTest {
  private static final Instant START = Instant.parse("2026-11-28T12:00:00Z");

  @TempDir Path data;
  private AuditFolder folder;

  @BeforeEach
  void choose() {
    folder = AuditFolder.ofNode(data);
  }

  private static AuditEvent event(int number) {
    return new AuditEvent(
        "id-" + number,
        START.plusSeconds(number),
        START.plusSeconds(number),
        number % 2 == 0 ? "create" : "delete",
        new AuditSubject("user-" + number % 3, List.of("g"), "192.0.2.1", "test"),
        new AuditObject("volumes", "", "v-" + number, "/apis/x"),
        number % 5 == 0 ? 403 : 200,
        number % 5 == 0 ? "not allowed" : "",
        Map.of(AuditEvent.DECISION, "allow"));
  }

  private List<String> ids(AuditFilter filter) throws Exception {
    List<String> ids = new ArrayList<>();
    folder.read(filter, event -> ids.add(event.path("auditID").asText()));
    return ids;
  }

  private static List<String> expected(int from, int to) {
    List<String> ids = new ArrayList<>();
    for (int i = from; i < to; i++) {
      ids.add("id-" + i);
    }
    return ids;
  }

  private void write(int from, int to) {
    FileAuditLog log = new FileAuditLog(folder, 4096, 8192);
    log.start();
    for (int i = from; i < to; i++) {
      log.record(event(i));
    }
    log.close();
    assertThat(log.dropped()).isZero();
  }

  @Test
  void filesAreForTheOwnerOnlyAndAreContinued() throws Exception {
    write(0, 3);
    write(3, 5);
    assertThat(ids(AuditFilter.ALL)).isEqualTo(expected(0, 5));
    assertThat(Files.getPosixFilePermissions(folder.file(0)))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(Files.getPosixFilePermissions(folder.path()))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void fullFileIsFollowedByAnotherAndTheOldestIsDropped() throws Exception {
    for (int i = 0; i < 200; i++) {
      write(i, i + 1);
    }
    List<String> ids = ids(AuditFilter.ALL);
    assertThat(ids).isEqualTo(expected(200 - ids.size(), 200));
    assertThat(ids).hasSizeBetween(20, 199);
    assertThat(folder.file(AuditFolder.FILES - 1)).exists();
    assertThat(folder.file(AuditFolder.FILES)).doesNotExist();
    assertThat(Files.size(folder.file(1))).isLessThanOrEqualTo(4096);
  }

  @Test
  void lineThatACrashCutOffIsLeftOutAndTheNextOneIsWhole() throws Exception {
    write(0, 1);
    Files.writeString(folder.file(0), "{\"kind\":\"Ev", StandardOpenOption.APPEND);
    write(1, 2);
    assertThat(ids(AuditFilter.ALL)).isEqualTo(expected(0, 2));
  }

  @Test
  void eventsWaitUntilTheFileCanBeWritten() throws Exception {
    Path obstacle = Files.writeString(data.resolve("audit"), "a file in place of the folder");
    FileAuditLog log = new FileAuditLog(folder, 1 << 20, 8192);
    log.configure(true, false);
    log.start();
    await(() -> !log.isWritable());
    assertThat(log.refusesWrites()).isTrue();
    log.record(event(0));
    Files.delete(obstacle);
    await(log::isWritable);
    assertThat(log.refusesWrites()).isFalse();
    log.close();
    assertThat(ids(AuditFilter.ALL)).isEqualTo(expected(0, 1));
    assertThat(log.dropped()).isZero();
  }

  @Test
  void fullQueueCountsLostEvents() throws Exception {
    Path obstacle = Files.writeString(data.resolve("audit"), "a file in place of the folder");
    FileAuditLog log = new FileAuditLog(folder, 1 << 20, 2);
    log.start();
    await(() -> !log.isWritable());
    assertThat(log.refusesWrites()).as("not required").isFalse();
    for (int i = 0; i < 10; i++) {
      log.record(event(i));
    }
    assertThat(log.dropped()).isEqualTo(8);
    Files.delete(obstacle);
    await(log::isWritable);
    log.close();
    assertThat(ids(AuditFilter.ALL)).isEqualTo(expected(0, 2));
  }

  @Test
  void removedFileIsCreatedAgain() throws Exception {
    FileAuditLog log = new FileAuditLog(folder, 1 << 20, 8192);
    log.start();
    log.record(event(0));
    await(() -> Files.exists(folder.file(0)));
    Files.delete(folder.file(0));
    log.record(event(1));
    await(() -> Files.exists(folder.file(0)));
    log.close();
    assertThat(ids(AuditFilter.ALL)).contains("id-1");
  }

  @Test
  void filterSelectsByUserVerbKindNameAndTime() throws Exception {
    write(0, 6);
    AuditFilter all = AuditFilter.ALL;
    Optional<String> none = Optional.empty();
    assertThat(ids(new AuditFilter(Optional.of("user-1"), none, none, none, Optional.empty())))
        .containsExactly("id-1", "id-4");
    assertThat(ids(new AuditFilter(none, Optional.of("delete"), none, none, Optional.empty())))
        .containsExactly("id-1", "id-3", "id-5");
    assertThat(ids(new AuditFilter(none, none, Optional.of("nodes"), none, Optional.empty())))
        .isEmpty();
    assertThat(ids(new AuditFilter(none, none, none, Optional.of("v-2"), Optional.empty())))
        .containsExactly("id-2");
    assertThat(ids(new AuditFilter(none, none, none, none, Optional.of(START.plusSeconds(4)))))
        .containsExactly("id-4", "id-5");
    assertThat(all.user()).isEmpty();
  }

  @Test
  void eventHasTheFormOfKubernetes() throws Exception {
    write(5, 6);
    List<JsonNode> events = new ArrayList<>();
    folder.read(AuditFilter.ALL, events::add);
    JsonNode event = events.get(0);
    assertThat(event.path("apiVersion").asText()).isEqualTo("audit.k8s.io/v1");
    assertThat(event.at("/sourceIPs/0").asText()).isEqualTo("192.0.2.1");
    assertThat(event.at("/objectRef/name").asText()).isEqualTo("v-5");
    assertThat(event.at("/responseStatus/code").asInt()).isEqualTo(403);
    assertThat(event.at("/responseStatus/message").asText()).isEqualTo("not allowed");
    assertThat(event.path("requestReceivedTimestamp").asText())
        .isEqualTo("2026-11-28T12:00:05.000000Z");
  }

  private static void await(BooleanSupplier condition) {
    Instant limit = Instant.now().plus(Duration.ofSeconds(30));
    while (!condition.getAsBoolean()) {
      assertThat(Instant.now()).isBefore(limit);
      Thread.onSpinWait();
    }
  }
}
