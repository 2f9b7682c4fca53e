package dev.holdfast.imagesource.download.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Downloads from the real nginx over connections that end at random places. */
@Tag("soak")
class NginxDownloadTest {
  private static final int SIZE = 1 << 20;
  private static final int CUTS = 200;
  private static final DownloadLimits LIMITS =
      new DownloadLimits(Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofSeconds(5));

  @TempDir Path home;

  private byte[] write(long seed, Instant time) throws Exception {
    byte[] content = new byte[SIZE];
    new Random(seed).nextBytes(content);
    // nginx makes the tag of the time and the size.
    Files.setLastModifiedTime(Files.write(home.resolve("disk.raw"), content), FileTime.from(time));
    return content;
  }

  /** Tries once; returns whether the whole file arrived. */
  private static boolean download(CutServer server, MemorySink sink) {
    HttpDialer dialer =
        new HttpDialer(
            "test",
            address -> {},
            Optional.empty(),
            host -> InetAddress.getAllByName("127.0.0.1"),
            (SSLSocketFactory) SSLSocketFactory.getDefault(),
            LIMITS);
    String url = "http://images.example:" + server.port() + "/disk.raw";
    try (DownloadTransfer transfer =
        new DownloadTransfer("test", DownloadUrl.parse("test", url), dialer)) {
      transfer.run(sink);
      return true;
    } catch (StorageException interrupted) {
      return false;
    }
  }

  @Test
  void interruptedDownloadsResumeAndAreWhole() throws Exception {
    byte[] content = write(1, Instant.parse("2026-01-01T00:00:00Z"));
    try (CutServer server = new CutServer(home, CUTS, 1)) {
      int resumed = 0;
      while (server.cutsLeft() > 0) {
        MemorySink sink = new MemorySink();
        for (long before = 0; !download(server, sink); before = sink.position()) {
          assertThat(sink.position()).as("what arrived is kept").isGreaterThanOrEqualTo(before);
          resumed += sink.position() > 0 ? 1 : 0;
        }
        assertThat(sink.bytes()).isEqualTo(content);
      }
      assertThat(resumed).as("attempts after which some bytes were kept").isGreaterThan(CUTS / 2);
    }
  }

  @Test
  void fileThatChangesBetweenConnectionsIsTakenFromItsStart() throws Exception {
    List<byte[]> versions = new ArrayList<>();
    Instant time = Instant.parse("2026-01-01T00:00:00Z");
    versions.add(write(0, time));
    try (CutServer server = new CutServer(home, 20, 2)) {
      MemorySink sink = new MemorySink();
      while (!download(server, sink)) {
        int version = versions.size();
        versions.add(write(version, time.plusSeconds(version)));
      }
      assertThat(versions.size()).isGreaterThan(1);
      assertThat(sink.bytes()).isEqualTo(versions.get(versions.size() - 1));
    }
  }
}
