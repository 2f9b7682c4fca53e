package dev.holdfast.lvm.testkit;

import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.lvm.testkit.SimulatedGroup.Volume;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Commands of LVM and other programs that change volumes, on one simulated host. Guarded by the
 * monitor of the group.
 */
final class SimulatedCommands {
  private static final String FOLDER = SimulatedLvm.GROUP + "/";

  private final SimulatedLvm host;
  private final SimulatedGroup group;
  private final Map<String, Volume> volumes;

  SimulatedCommands(SimulatedLvm host) {
    this.host = host;
    this.group = host.group();
    this.volumes = group.volumes;
  }

  ProgramResult run(ProgramCall call) {
    List<String> words = call.command().subList(1, call.command().size());
    return switch (call.program()) {
      case "vgs" -> SimulatedMapper.done(SimulatedReports.group(group, words));
      case "lvs" -> volumes(words);
      case "lvcreate" -> create(words);
      case "lvchange" -> change(words);
      case "lvextend" -> extend(words);
      case "lvremove" -> remove(last(words));
      case "vgchange" -> changeGroup(words);
      case "dmsetup" -> host.mapper.run(words, call.input());
      case "blkdiscard" -> zero(words);
      case "sync", "tee" -> SimulatedMapper.done("");
      default -> throw new IllegalArgumentException(call.toString());
    };
  }

  private ProgramResult volumes(List<String> words) {
    String asked = last(words);
    return asked.equals(SimulatedLvm.GROUP)
        ? SimulatedMapper.done(SimulatedReports.volumes(host))
        : SimulatedMapper.failed("Volume group \"" + asked + "\" not found");
  }

  private static String last(List<String> words) {
    return words.get(words.size() - 1).replace(SimulatedLvm.GROUP + "/", "");
  }

  private static Optional<String> option(List<String> words, String name) {
    return words.stream()
        .filter(word -> word.startsWith("--" + name + "="))
        .map(word -> word.substring(name.length() + 3))
        .findFirst();
  }

  private static long bytes(List<String> words, String name) {
    return Long.parseLong(option(words, name).orElseThrow().replace("b", ""));
  }

  private static Volume volume(String layout, String pool, long size) {
    return new Volume(layout, pool, size, SimulatedLvm.FORMER_CONTENT);
  }

  private static boolean isFilled(Volume pool) {
    return pool.used >= pool.size * 0.8 || pool.metadataUsed >= pool.metadata * 0.8;
  }

  private ProgramResult create(List<String> words) {
    String name = option(words, "name").orElseThrow();
    if (volumes.containsKey(name)) {
      return SimulatedMapper.failed(
          "Logical Volume \"" + name + "\" already exists in " + SimulatedLvm.GROUP);
    }
    long space = option(words, "size").isPresent() ? bytes(words, "size") : 0;
    if (space > group.free()) {
      return SimulatedMapper.failed("Volume group \"vg0\" has insufficient free space");
    }
    if (words.contains("--snapshot")) {
      return copy(words, name);
    }
    if (words.contains("--type=linear")) {
      return add(words, name, volume("linear", "", space), false);
    }
    if (words.contains("--type=thin-pool")) {
      Volume pool = volume("thin,pool", "", space);
      pool.metadata = bytes(words, "poolmetadatasize");
      return add(words, name, pool, true);
    }
    String pool = option(words, "thinpool").orElseThrow().replace(SimulatedLvm.GROUP + "/", "");
    if (!volumes.containsKey(pool)) {
      return SimulatedMapper.failed("Failed to find pool " + pool);
    } else if (isLockedElsewhere(volumes.get(pool))) {
      return lockedElsewhere(volumes.get(pool));
    } else if (isFilled(volumes.get(pool))) {
      return reachedThreshold();
    }
    return add(words, name, volume("thin,sparse", pool, bytes(words, "virtualsize")), true);
  }

  private ProgramResult copy(List<String> words, String name) {
    Volume origin = volumes.get(last(words));
    if (origin == null) {
      return SimulatedMapper.failed("Failed to find logical volume \"" + last(words) + "\"");
    }
    if (isLockedElsewhere(origin)) {
      return lockedElsewhere(origin);
    }
    if (isFilled(volumes.get(origin.pool))) {
      return reachedThreshold();
    }
    Volume copy = volume("thin,sparse", origin.pool, origin.size);
    copy.content = origin.content.copy();
    return add(words, name, copy, true);
  }

  private static ProgramResult reachedThreshold() {
    return SimulatedMapper.failed(
        "Cannot create new thin volume, free space in thin pool reached threshold.");
  }

  private ProgramResult add(List<String> words, String name, Volume volume, boolean active) {
    for (String word : words) {
      if (word.startsWith("--addtag=")) {
        volume.tags.add(word.substring("--addtag=".length()));
      }
    }
    volume.thinId = volume.pool.isEmpty() ? 0 : ++group.thinIds;
    volumes.put(name, volume);
    if (active) {
      activate(volume);
      boolean unused = group.lock(host, volume, true);
    }
    return SimulatedMapper.done("");
  }

  private void activate(Volume volume) {
    if (!volume.pool.isEmpty()) {
      Volume pool = volumes.get(volume.pool);
      if (!host.isActive(pool)) {
        pool.numbers.put(host, host.nextNumber());
        pool.implied.add(host);
      }
    }
    if (!host.isActive(volume)) {
      volume.numbers.put(host, host.nextNumber());
    }
    volume.implied.remove(host);
  }

  /** Removes the device of a pool with its last volume, if it was created only for the volumes. */
  private void releasePool(Volume volume) {
    Volume pool = volumes.get(volume.pool);
    boolean used =
        volumes.values().stream()
            .anyMatch(other -> other.pool.equals(volume.pool) && host.isActive(other));
    if (pool != null && !used && pool.implied.remove(host)) {
      pool.numbers.remove(host);
    }
  }

  private ProgramResult changeGroup(List<String> words) {
    option(words, "addtag").ifPresent(group.tags::add);
    return SimulatedMapper.done("");
  }

  private ProgramResult zero(List<String> words) {
    String device = words.get(words.size() - 1).substring(SimulatedLvm.MAPPED_FOLDER);
    for (Map.Entry<String, Volume> volume : volumes.entrySet()) {
      if (device.equals(SimulatedLvm.GROUP + "-" + volume.getKey().replace("-", "--"))) {
        long from = Long.parseLong(option(words, "offset").orElseThrow());
        long end = from + Long.parseLong(option(words, "length").orElseThrow());
        volume.getValue().content.zero(from, end);
      }
    }
    return SimulatedMapper.done("");
  }

  /** Changes each volume, also after one that cannot be changed. */
  private ProgramResult change(List<String> words) {
    List<String> names = words.stream().filter(word -> word.startsWith(FOLDER)).toList();
    ProgramResult failed = null;
    for (String name : names) {
      ProgramResult result = change(words, name.substring(FOLDER.length()));
      failed = failed == null && result.exitCode() != 0 ? result : failed;
    }
    return failed == null ? SimulatedMapper.done("") : failed;
  }

  private ProgramResult change(List<String> words, String name) {
    Volume volume = volumes.get(name);
    if (volume == null) {
      return absent(name);
    }
    option(words, "deltag").ifPresent(volume.tags::remove);
    option(words, "addtag").ifPresent(volume.tags::add);
    Optional<String> active = option(words, "activate");
    if (active.isPresent() && active.get().endsWith("y")) {
      boolean alone = !active.get().equals("sy");
      if (!alone && !volume.layout.equals("linear")) {
        return SimulatedMapper.failed("Shared activation not compatible with LV type");
      } else if (!group.lock(host, volume, alone)) {
        return lockedElsewhere(volume);
      }
      activate(volume);
    } else if (active.equals(Optional.of("n"))) {
      if (isInUse(volume)) {
        return inUse(name);
      }
      volume.numbers.remove(host);
      volume.implied.remove(host);
      releasePool(volume);
      group.unlock(host, volume);
    }
    return SimulatedMapper.done("");
  }

  private static ProgramResult lockedElsewhere(Volume volume) {
    return SimulatedMapper.failed("LV locked by other host: vg0/" + volume.uuid);
  }

  /** Returns whether another host holds the lock that a change of the volume needs. */
  private boolean isLockedElsewhere(Volume volume) {
    boolean locked = !group.lock(host, volume, true);
    group.unlock(host, volume);
    return locked;
  }

  private boolean isInUse(Volume volume) {
    return host.isActive(volume) && host.mapper.isUsed(volume.numbers.get(host));
  }

  private static ProgramResult absent(String name) {
    return SimulatedMapper.failed("Failed to find logical volume \"vg0/" + name + "\"");
  }

  private static ProgramResult inUse(String name) {
    return SimulatedMapper.failed("Logical volume vg0/" + name + " in use.");
  }

  private ProgramResult extend(List<String> words) {
    Volume volume = volumes.get(last(words));
    if (volume == null) {
      return absent(last(words));
    }
    if (isLockedElsewhere(volume)) {
      return lockedElsewhere(volume);
    }
    if (option(words, "poolmetadatasize").isPresent()) {
      return extendMetadata(volume, bytes(words, "poolmetadatasize"));
    }
    long size = bytes(words, "size");
    if (size <= volume.size) {
      return SimulatedMapper.failed("New size given not larger than existing size");
    }
    if (volume.pool.isEmpty() && size - volume.size > group.free()) {
      return SimulatedMapper.failed("Insufficient free space: extents needed");
    }
    volume.size = size;
    return SimulatedMapper.done("");
  }

  private ProgramResult extendMetadata(Volume pool, long size) {
    if (size - pool.metadata > group.free()) {
      return SimulatedMapper.failed("Insufficient free space: extents needed");
    }
    pool.metadata = size;
    return SimulatedMapper.done("");
  }

  private ProgramResult remove(String name) {
    Volume volume = volumes.get(name);
    if (volume == null) {
      return absent(name);
    }
    if (isLockedElsewhere(volume)) {
      return lockedElsewhere(volume);
    }
    if (isInUse(volume)) {
      return inUse(name);
    }
    volumes.remove(name);
    releasePool(volume);
    volumes.values().removeIf(other -> other.pool.equals(name));
    return SimulatedMapper.done("");
  }
}
