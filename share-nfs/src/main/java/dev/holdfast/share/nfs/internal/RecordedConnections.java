package dev.holdfast.share.nfs.internal;

import dev.holdfast.share.nfs.internal.address.NfsConnection;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections that clients of a share have, for the next server of it. They are the text of the
 * file that the health check writes on the volume, so they cost no write of their own. While
 * clients reclaim, those that are not back yet stay in the list. Thread-safe.
 */
final class RecordedConnections {
  private static final Logger LOG = LoggerFactory.getLogger(RecordedConnections.class);

  /** As many as one block of the file holds; further clients connect later, by themselves. */
  private static final int MOST = 180;

  private static final int BLOCK = 4096;

  private final Map<String, List<NfsConnection>> known = new ConcurrentHashMap<>();

  /**
   * Returns what the former server wrote; an unreadable file counts as empty. A user of the volume
   * may have put anything there: no link is followed, and one block is read.
   */
  List<NfsConnection> load(String volume, Path file) {
    List<NfsConnection> found = List.of();
    try {
      if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        found = block(file).lines().map(NfsConnection::parsed).flatMap(Optional::stream).toList();
      }
    } catch (IOException e) {
      LOG.warn(
          "share {}: could not read the clients of the former server: {}", volume, e.getMessage());
    }
    known.put(volume, found);
    return found;
  }

  private static String block(Path file) throws IOException {
    try (InputStream stream = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      return new String(stream.readNBytes(BLOCK), StandardCharsets.ISO_8859_1);
    }
  }

  /**
   * Takes note of the connections now.
   *
   * @return the text for the file
   */
  String update(String volume, List<NfsConnection> now, boolean inGrace) {
    NavigableSet<NfsConnection> all = new TreeSet<>();
    now.stream().filter(NfsConnection::isIpv4).forEach(all::add);
    if (inGrace) {
      all.addAll(known.getOrDefault(volume, List.of()));
    }
    List<NfsConnection> next = all.stream().limit(MOST).toList();
    known.put(volume, next);
    StringBuilder text = new StringBuilder();
    next.forEach(client -> text.append(client).append('\n'));
    return text.toString();
  }

  void forget(String volume) {
    known.remove(volume);
  }
}
