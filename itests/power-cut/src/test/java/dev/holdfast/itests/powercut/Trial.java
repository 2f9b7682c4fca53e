package dev.holdfast.itests.powercut;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** The history of one volume over many power cuts. */
final class Trial {
  private static final String DISK_SIZE = "128M";
  private static final int UNLIMITED = 1_000_000;
  private static final int CLOSING_REQUESTS = 600;
  private static final int KEPT_LINES = 12;

  private final Path tree = Path.of(System.getProperty("holdfast.tree")).toAbsolutePath();
  private final Path shared;
  private final List<Path> disks = new ArrayList<>();
  private final Mutation mutation;
  private final Random random;
  private final History history = new History();
  private final List<String> problems = new ArrayList<>();
  private int lives;
  private int opened;
  private boolean powerWasCut;

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
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path source = Path.of(entry);
      if (Files.isDirectory(source) && !entry.isEmpty()) {
        copyTree(source, target);
      } else if (Files.isRegularFile(source)) {
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
    Life life = new Life(++lives, random.nextLong(), requests, barriers(), mutation);
    Optional<Cut> cut = moment.map(when -> new Cut(when, random));
    Files.deleteIfExists(shared.resolve("content"));
    List<String> report;
    try (VirtualMachine machine = VirtualMachine.start(tree, disks, shared, script(life))) {
      report = follow(machine, cut);
    }
    history.begin(life.number());
    report.forEach(this::take);
    boolean asPlanned = cut.isPresent() == powerWasCut && (powerWasCut || closed(report));
    if (!asPlanned) {
      problems.add("life " + lives + " ended by itself: " + last(report) + evidence());
    }
  }

  private Barriers barriers() {
    Barriers[] all = Barriers.values();
    return mutation == Mutation.NONE ? all[random.nextInt(all.length)] : mutation.exposed();
  }

  // Only reads, so that it keeps up with the machine and the moment is not missed.
  private List<String> follow(VirtualMachine machine, Optional<Cut> cut)
      throws IOException, InterruptedException {
    List<String> report = new ArrayList<>();
    powerWasCut = false;
    for (Optional<String> line = machine.line(); line.isPresent(); line = machine.line()) {
      report.add(line.get());
      if (!powerWasCut && cut.isPresent() && cut.get().due(line.get())) {
        LockSupport.parkNanos(cut.get().delayNanos());
        machine.cutPower();
        powerWasCut = true;
      }
    }
    machine.awaitEnd();
    return report;
  }

  private static boolean closed(List<String> report) {
    return last(report).contains(Report.CLOSED);
  }

  private static List<String> last(List<String> report) {
    return report.subList(Math.max(0, report.size() - KEPT_LINES), report.size());
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

  private void take(String line) {
    String[] words = line.split(" ");
    switch (words[0]) {
      case Report.OPENING -> {}
      case Report.OPENED -> opened++;
      case Report.CONTENT -> problems.addAll(history.observe(shared.resolve("content")));
      case Report.ACKNOWLEDGED -> history.acknowledged(Integer.parseInt(words[1]));
      case Report.CLOSED -> history.closed();
      case Report.DIFFERENT, Report.FAILED -> problems.add("life " + lives + ": " + line);
      default -> history.sent(Request.parse(words));
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
