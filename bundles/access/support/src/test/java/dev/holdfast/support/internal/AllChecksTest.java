package dev.holdfast.support.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.access.ExtensionRequest;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.client.HealthJson;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthSeverity;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The checks of all bundles together, and the document of their findings. */
class AllChecksTest {
  private static final Instant NOW = Instant.parse("2026-05-01T12:00:00Z");

  @TempDir private Path directory;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AllChecks checks = new AllChecks(threads, Duration.ofSeconds(30));

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private static HealthFinding finding(String code, HealthSeverity severity) {
    return new HealthFinding(
        code, severity, List.of("array/a"), Optional.of(NOW), "a disk failed", "replace it");
  }

  @Test
  void errorsComeFirstAndTheDocumentIsReadBackAsItWas() throws Exception {
    List<HealthFinding> own =
        List.of(
            finding("RAID_SLOW", HealthSeverity.WARNING),
            finding("RAID_LOST", HealthSeverity.ERROR));
    checks.add(() -> own, "com.example.raid");
    assertThat(checks.findings())
        .extracting(HealthFinding::code)
        .containsExactly("RAID_LOST", "RAID_SLOW");

    ByteArrayOutputStream body = new ByteArrayOutputStream();
    new HealthDocument(checks)
        .handle(
            new ExtensionRequest(
                "GET", "", Map.of(), name -> Optional.empty(), InputStream.nullInputStream()),
            (code, type, length, headers) -> body);
    assertThat(HealthJson.findings(new ObjectMapper().readTree(body.toByteArray())))
        .isEqualTo(checks.findings());
  }

  @Test
  void checkThatFailsIsAFinding() {
    checks.add(
        () -> {
          throw new StorageException(ErrorCode.IO, "no array");
        },
        "com.example.raid");
    assertThat(checks.findings())
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.code()).isEqualTo("CHECK_FAILED");
              assertThat(found.sentence())
                  .isEqualTo("a health check of bundle com.example.raid failed: no array");
            });
  }

  @Test
  void checkThatHangsIsAFindingAndHidesNoOther() throws Exception {
    AllChecks hasty = new AllChecks(threads, Duration.ofMillis(1));
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    hasty.add(
        () -> {
          asked.countDown();
          try {
            never.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return List.of();
        },
        "com.example.raid");
    assertThat(hasty.findings()).extracting(HealthFinding::code).containsExactly("CHECK_FAILED");
    asked.await();
    assertThat(hasty.findings()).extracting(HealthFinding::code).containsExactly("CHECK_FAILED");
  }

  @Test
  void resourcesAreReadFromTheStoreAndAnAbsentStoreIsAnError() throws Exception {
    MemoryResourceStore store = new MemoryResourceStore();
    ResourceChecks resources =
        new ResourceChecks(store, KindCatalogue.load(), InstantSource.fixed(NOW));
    assertThat(resources.findings()).isEmpty();
    Node unused = store.create(Node.of("node-1", NodeSpec.EMPTY));
    assertThat(resources.findings()).extracting(HealthFinding::code).containsExactly("NODE_DOWN");

    ResourceStore away =
        (ResourceStore)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ResourceStore.class},
                (proxy, method, arguments) -> {
                  throw new StorageException(ErrorCode.UNREACHABLE, "connection refused");
                });
    HealthFinding found =
        new ResourceChecks(away, KindCatalogue.load(), InstantSource.fixed(NOW)).findings().get(0);
    assertThat(found.code()).isEqualTo("STORE_AWAY");
    assertThat(found.sentence()).contains("connection refused");
  }

  @Test
  void certificateIsReportedSevenDaysBeforeItsEnd() throws Exception {
    Path certificate =
        TlsDirectory.prepare(directory, List.of("localhost"), Clock.systemUTC()).certificate();
    Map<String, Path> files = Map.of("server", certificate);
    List<HealthFinding> late =
        CertificateCheck.findings("node-1", files, Instant.now().plus(Duration.ofDays(100_000)));
    assertThat(late).extracting(HealthFinding::code).containsExactly("CERTIFICATE_ENDS");
    Instant end = late.get(0).since().orElseThrow();
    assertThat(late.get(0).severity()).isEqualTo(HealthSeverity.ERROR);
    assertThat(CertificateCheck.findings("node-1", files, end.minus(CertificateCheck.SOON)))
        .isEmpty();
    assertThat(
            CertificateCheck.findings(
                "node-1", files, end.minus(CertificateCheck.SOON).plusSeconds(1)))
        .extracting(HealthFinding::severity)
        .containsExactly(HealthSeverity.WARNING);
  }
}
