package dev.holdfast.backup.internal;

import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Two nodes that die, pause and lose the store scan a target every 30 s. The target fails and omits
 * objects from its lists, while another cluster creates and deletes backups there.
 */
final class DiscoveryHistory {
  private static final List<String> VOLUMES = List.of("va", "vb", "vc");

  private final Random random;
  private final DiscoveryLab lab;

  /** Complete backups at the target, as volume and name. */
  private final Set<String> complete = new TreeSet<>();

  private final Set<String> begun = new TreeSet<>();

  /** Names that were listed, and that only a failure may hide. */
  private final Set<String> shown = new TreeSet<>();

  /** Names that this cluster deleted at the target. */
  private final Set<String> deletedHere = new TreeSet<>();

  private int names;
  private boolean faulty = true;

  DiscoveryHistory(long seed, Supplier<VolumeScanner> scanner) throws StorageException {
    random = new Random(seed);
    lab =
        new DiscoveryLab(
            Simulation.builder(seed)
                .invariant("no failure hides a backup", this::hidesNone)
                .invariant("a deleted backup stays deleted", this::showsNoDeleted),
            List.of("node-1", "node-2"),
            scanner);
    lab.targets.plan = this::before;
    lab.edit(spec -> spec.withPollInterval(30));
  }

  void play() throws StorageException {
    othersWork();
    targetChanges();
    lab.simulation.run(Duration.ofMinutes(8));
    faulty = false;
    lab.targets.hidden = key -> false;
    lab.simulation.calm();
    lab.requestScan();
    lab.simulation.runUntilEqual(
        "the list is that of the target", Duration.ofMinutes(10), this::difference);
  }

  private void before(FaultyObjectStore.Call call, String key) throws StorageException {
    if (faulty && random.nextInt(20) == 0) {
      // Between the scan and the application of its result.
      lab.simulation.after(Duration.ofMillis(random.nextInt(200)), this::deleteOne);
    }
    if (faulty && random.nextInt(25) == 0) {
      throw new StorageException(ErrorCode.UNREACHABLE, call + " " + key + ": injected fault");
    }
  }

  /** Changes the objects that lists omit. */
  private void targetChanges() {
    lab.simulation.after(
        Duration.ofSeconds(5 + random.nextInt(40)),
        store -> {
          if (faulty) {
            int lost = random.nextInt(4);
            lab.targets.hidden = key -> lost > 0 && Math.floorMod(key.hashCode(), 4) < lost;
            targetChanges();
          }
        });
  }

  private void othersWork() {
    lab.simulation.after(
        Duration.ofMillis(500 + random.nextInt(15_000)),
        store -> {
          if (faulty) {
            othersWork();
            work(store);
          }
        });
  }

  private void work(ResourceStore store) throws StorageException {
    String volume = VOLUMES.get(random.nextInt(VOLUMES.size()));
    switch (random.nextInt(8)) {
      case 0, 1, 6, 7 -> {
        String name = "backup-" + ++names;
        lab.other.backUp(volume, name);
        complete.add(volume + "/" + name);
      }
      case 2 -> {
        String name = "backup-" + ++names;
        lab.other.begin(volume, name);
        begun.add(volume + "/" + name);
      }
      case 3 -> {
        for (String backup : some(begun)) {
          begun.remove(backup);
          String[] parts = backup.split("/", -1);
          lab.other.backUp(parts[0], parts[1]);
          complete.add(backup);
        }
      }
      case 4 -> deleteOne(store);
      default -> {
        for (String name : some(shown)) {
          shown.remove(name);
          store.delete(Backup.KIND, name, "");
        }
      }
    }
  }

  /** Deletes a backup in the other cluster, or completely in this one. */
  private void deleteOne(ResourceStore store) throws StorageException {
    for (String backup : some(complete)) {
      String[] parts = backup.split("/", -1);
      complete.remove(backup);
      shown.remove(parts[1]);
      lab.other.delete(parts[0], parts[1]);
      if (store.get(Backup.KIND, parts[1]).isPresent() && random.nextInt(4) > 0) {
        deletedHere.add(parts[1]);
        store.delete(Backup.KIND, parts[1], "");
      }
    }
  }

  private List<String> some(Set<String> all) {
    List<String> list = new ArrayList<>(all);
    return list.isEmpty() ? list : List.of(list.get(random.nextInt(list.size())));
  }

  private void hidesNone(ResourceStore store) throws StorageException {
    Set<String> present = new TreeSet<>();
    for (Backup backup : store.list(Backup.KIND, LabelSelector.ALL).items()) {
      present.add(backup.name());
      if (backup.status().state() == BackupState.COMPLETED
          && complete.contains(backup.spec().volume() + "/" + backup.name())) {
        shown.add(backup.name());
      }
    }
    for (String name : shown) {
      if (!present.contains(name)) {
        throw new AssertionError(name + " is hidden, and the target has it");
      }
    }
  }

  private void showsNoDeleted(ResourceStore store) throws StorageException {
    for (Backup backup : store.list(Backup.KIND, LabelSelector.ALL).items()) {
      if (deletedHere.contains(backup.name())) {
        throw new AssertionError(backup.name() + " is shown, and was deleted by this cluster");
      }
    }
  }

  private String difference(ResourceStore store) throws StorageException {
    Set<String> found = new TreeSet<>();
    for (Backup backup : store.list(Backup.KIND, LabelSelector.ALL).items()) {
      if (backup.status().state() == BackupState.COMPLETED) {
        found.add(backup.spec().volume() + "/" + backup.name());
      }
    }
    Set<String> kept = new TreeSet<>();
    lab.targets.store.list(
        "",
        "",
        object -> {
          if (object.key().contains("/backups/")) {
            kept.add(object.key());
          }
        });
    if (kept.size() != complete.size() + begun.size()) {
      throw new AssertionError("objects of the target were deleted: " + kept);
    }
    return found.equals(complete) ? "" : "expected " + complete + ", found " + found;
  }
}
