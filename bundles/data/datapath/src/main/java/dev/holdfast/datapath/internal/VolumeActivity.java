package dev.holdfast.datapath.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much hosts use the volumes of this node: number of requests, with a half-life of one minute.
 * Written to a file every few seconds, so it survives a crash. It is a hint that affects only the
 * order in which volumes open. Thread-safe.
 */
public final class VolumeActivity {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeActivity.class);
  private static final Duration HALF_LIFE = Duration.ofMinutes(1);
  private static final Duration PERIOD = Duration.ofSeconds(5);
  private static final double NEGLIGIBLE = 1e-6;

  private final Optional<Path> file;
  private final Map<String, Double> use = new HashMap<>();
  private final Map<String, Sample> samples = new HashMap<>();
  private Instant kept = Instant.EPOCH;

  private record Sample(long requests, Instant time) {}

  private VolumeActivity(Optional<Path> file) {
    this.file = file;
    file.ifPresent(this::read);
  }

  /** Creates a record in a file of a node's state directory. */
  public static VolumeActivity below(Path data) {
    return new VolumeActivity(Optional.of(data.resolve("volume-use")));
  }

  /** Creates a record in memory only. */
  public static VolumeActivity notKept() {
    return new VolumeActivity(Optional.empty());
  }

  /** Returns the activity of an engine's volume, 0 without any request. */
  synchronized double of(String engine) {
    return use.getOrDefault(engine, 0.0);
  }

  /**
   * Records the requests of hosts.
   *
   * @param engine of the volume
   * @param requests number of requests since this process opened it
   * @param now present time
   */
  synchronized void observe(String engine, long requests, Instant now) {
    Sample last = samples.put(engine, new Sample(requests, now));
    long fresh = last == null ? requests : Math.max(0, requests - last.requests());
    double past = last == null ? 0 : (double) Duration.between(last.time(), now).toMillis();
    double left = of(engine) * Math.pow(0.5, Math.max(0, past) / HALF_LIFE.toMillis());
    use.put(engine, left + fresh < NEGLIGIBLE ? 0 : left + fresh);
    if (Duration.between(kept, now).abs().compareTo(PERIOD) >= 0) {
      kept = now;
      keep();
    }
  }

  /** Removes a volume that is no longer open here. */
  synchronized void forget(String engine) {
    use.remove(engine);
    samples.remove(engine);
  }

  /** Writes the record to its file. */
  synchronized void keep() {
    if (file.isEmpty()) {
      return;
    }
    StringBuilder text = new StringBuilder();
    new TreeMap<>(use).forEach((name, value) -> text.append(name + " " + value + "\n"));
    Path written = file.get().resolveSibling(file.get().getFileName() + ".new");
    try {
      Files.createDirectories(file.get().getParent());
      Files.writeString(written, text);
      Files.move(written, file.get(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOG.debug("could not record the use of volumes: {}", e.toString());
    }
  }

  private void read(Path from) {
    try {
      for (String line : Files.readAllLines(from)) {
        String[] words = line.split(" ", -1);
        use.put(words[0], Double.parseDouble(words[1]));
      }
    } catch (NoSuchFileException e) {
      LOG.debug("the recorded use of volumes is unreadable");
    } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
      LOG.warn("could not read {}, opening volumes in arbitrary order: {}", from, e.toString());
    }
  }
}
