package dev.holdfast.itests.powercut;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The history of one volume over many power cuts. */
final class Trial {
  private static final String DISK_SIZE = "128M";
  private static final int UNLIMITED = 1_000_000;
  private static final int CLOSING_REQUESTS = 600;
  private static final int MOST_ACKNOWLEDGEMENTS = 1500;
  private static final Duration SWEPT_AFTER = Duration.ofSeconds(40);
  private static final int KEPT_LINES = 12;

  private final Path tree = Path.of(System.getProperty("holdfast.tree")).toAbsolutePath();
  private final Path shared;
  private final List<Path> disks = new ArrayList<>();
  private final Mutation mutation;
  private final Random random;
  private final History history = new History();
  private final List<String> problems = new ArrayList<>();
  private final Deque<String> lastLines = new ArrayDeque<>();
  private int lives;
  private int opened;

  // Of this life.
  private Optional<Moment> pending = Optional.empty();
  private int countdown;
  private long openedAt;
  private boolean ended;

  Trial(Path directory, long seed, Mutation mutation) throws IOException, InterruptedException {
    this.mutation = mutation;
    this.random = new Random(seed);
    this.shared = Files.createDirectory(directory.resolve("shared"));
    for (String name : List.of("a", "b", "c", "d")) {
      Path disk = directory.resolve(name + ".img");
      disks.add(disk);
      run("mkfs.ext4", "-q", "-F", disk.toString(), DISK_SIZE);
    }
    copyClasses();
  }

  // The machine sees neither the host's /tmp nor what a build puts there.
  private void copyClasses() throws IOException {
    Path target = Files.createDirectory(shared.resolve("classes"));
    int number = 0;
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path source = Path.of(entry);
      if (Files.isDirectory(source)) {
        copyTree(source, target);
      } else if (Files.exists(source)) {
        Files.copy(source, target.resolve(++number + ".jar"));
      }
    }
  }

  private static void copyTree(Path source, Path target) throws IOException {
    try (var paths = Files.walk(source)) {
      for (Path path : (Iterable<Path>) paths::iterator) {
        Path copy = target.resolve(source.relativize(path).toString());
        if (!Files.isDirectory(path)) {
          Files.createDirectories(copy.getParent());
          Files.copy(path, copy);
        }
      }
    }
  }

  private static void run(String... words) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(words).inheritIO().start();
    if (process.waitFor() != 0) {
      throw new IllegalStateException("failed: " + String.join(" ", words));
    }
  }

  History history() {
    return history;
  }

  /** Returns how often the volume was opened to the end. */
  int opened() {
    return opened;
  }

  /** Returns what was wrong so far. */
  List<String> problems() {
    return List.copyOf(problems);
  }

  /** One life that ends by a power cut, which begins by looking what the last cut left. */
  void cut(Moment moment) throws IOException, InterruptedException {
    live(Optional.of(moment), moment == Moment.CLOSED ? CLOSING_REQUESTS : UNLIMITED);
  }

  /** One life without a cut. */
  void check() throws IOException, InterruptedException {
    live(Optional.empty(), 0);
  }

  private void live(Optional<Moment> moment, int requests)
      throws IOException, InterruptedException {
    Life life = new Life(++lives, random.nextLong(), requests, mutation);
    pending = moment;
    countdown = 1 + random.nextInt(MOST_ACKNOWLEDGEMENTS);
    ended = false;
    history.begin(life.number());
    Files.deleteIfExists(shared.resolve("content"));
    try (VirtualMachine machine = VirtualMachine.start(tree, disks, shared, script(life))) {
      for (Optional<String> line = machine.line(); line.isPresent(); line = machine.line()) {
        keep(line.get());
        String[] words = line.get().split(" ");
        take(words, line.get());
        if (isMoment(words)) {
          LockSupport.parkNanos(random.nextInt((int) delay(pending.orElseThrow()).toNanos()));
          pending = Optional.empty();
          machine.cutPower();
          ended = true;
        }
      }
      machine.awaitEnd();
    }
    if (!ended) {
      problems.add("life " + lives + " came to an end of its own: " + lastLines + evidence());
    }
  }

  // Half of the lives write back early, so that a cut finds some of what was not synced.
  private String script(Life life) {
    String writeBack =
        random.nextBoolean() && mutation == Mutation.NONE
            ? "echo 3 > /proc/sys/vm/dirty_writeback_centisecs;"
                + " echo 3 > /proc/sys/vm/dirty_expire_centisecs;"
            : "";
    return "for n in a b c d; do mkdir -p /mnt/$n; mount /dev/vd$n /mnt/$n || exit 1; done;"
        + writeBack
        + " exec "
        + System.getProperty("java.home")
        + "/bin/java -Xmx192m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '"
        + shared.resolve("classes")
        + ":"
        + shared.resolve("classes")
        + "/*' "
        + Machine.class.getName()
        + " /mnt "
        + shared
        + " "
        + String.join(" ", life.words())
        + " 2> "
        + shared.resolve("java.err");
  }

  private void take(String[] words, String line) {
    switch (words[0]) {
      case Report.OPENING -> {}
      case Report.OPENED -> {
        opened++;
        openedAt = System.nanoTime();
      }
      case Report.CONTENT -> problems.addAll(history.observe(shared.resolve("content")));
      case Report.ACKNOWLEDGED -> history.acknowledged(Integer.parseInt(words[1]));
      case Report.CLOSED -> {
        history.closed();
        ended = true;
      }
      case Report.DIFFERENT, Report.FAILED -> problems.add("life " + lives + ": " + line);
      default -> history.sent(Request.parse(words));
    }
  }

  private boolean isMoment(String[] words) {
    if (pending.isEmpty()) {
      return false;
    }
    boolean answer = words[0].equals(Report.ACKNOWLEDGED);
    countdown -= answer ? 1 : 0;
    return switch (pending.get()) {
      case OPENING -> words[0].equals(Report.OPENING);
      case CLOSED -> words[0].equals(Report.CLOSED);
      case WRITING -> answer && countdown <= 0;
      case BARRIER -> answer && countdown <= 0 && history.lastAcknowledged().barrier();
      case SWEPT -> answer && System.nanoTime() - openedAt > SWEPT_AFTER.toNanos();
    };
  }

  private static Duration delay(Moment moment) {
    return switch (moment) {
      case BARRIER, CLOSED -> Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(100));
      case WRITING, SWEPT -> Duration.ofMillis(20);
      case OPENING -> Duration.ofMillis(400);
    };
  }

  private void keep(String line) {
    lastLines.add(line);
    if (lastLines.size() > KEPT_LINES) {
      lastLines.remove();
    }
  }

  private String evidence() throws IOException {
    StringBuilder text = new StringBuilder();
    for (String name : List.of("java.err", "vm.err")) {
      Path file = shared.resolve(name);
      text.append('\n').append(Files.exists(file) ? Files.readString(file) : "");
    }
    return text.toString();
  }
}
