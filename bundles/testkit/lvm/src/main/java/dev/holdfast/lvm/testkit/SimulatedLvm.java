package dev.holdfast.lvm.testkit;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFiles;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.LocalHost;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * A host with one volume group, in memory. It refuses what LVM refuses: a name that is taken, a
 * volume that is absent or in use, a size that is not larger. Thread-safe.
 */
public final class SimulatedLvm implements Host {
  /** Name of the group. */
  public static final String GROUP = "vg0";

  /** Size of the group in bytes. */
  public static final long SIZE = 4L << 30;

  private static final int FORMER_CONTENT = 0xee;
  private static final int MAPPED_FOLDER = "/dev/mapper/".length();

  /** The device mapper of the host. */
  public final SimulatedMapper mapper = new SimulatedMapper();

  private final long extent;
  private final Set<String> missingPrograms = new TreeSet<>();
  private final Map<String, Volume> volumes = new LinkedHashMap<>();
  private final Set<String> groupTags = new TreeSet<>();
  private Predicate<ProgramCall> ignored = call -> false;
  private String lockType = "";
  private String uuid = "abcdef-" + UUID.randomUUID();
  private int minor = 1;
  private int thinIds;

  /** Creates a host whose group has extents of 1 MiB. */
  public SimulatedLvm() {
    this(1L << 20);
  }

  /**
   * Creates a host.
   *
   * @param extent unit of allocation of the group, in bytes
   */
  public SimulatedLvm(long extent) {
    this.extent = extent;
  }

  /** A logical volume; a pool has no pool of its own. */
  private static final class Volume {
    private final String uuid = UUID.randomUUID().toString();
    private final String layout;
    private final String pool;
    private final Set<String> tags = new TreeSet<>();
    private long size;
    private boolean active;
    private String number = "";
    private long used;
    private long metadata;
    private long metadataUsed;

    private int thinId;
    private SimulatedBytes content;

    private Volume(String layout, String pool, long size) {
      this.layout = layout;
      this.pool = pool;
      this.size = size;
      this.content = new SimulatedBytes(pool.isEmpty() ? FORMER_CONTENT : 0);
    }
  }

  /** Lets commands of a kind have no effect and succeed. */
  public synchronized void ignore(Predicate<ProgramCall> calls) {
    ignored = calls;
  }

  /** Removes a program from the host. */
  public synchronized void uninstall(String program) {
    missingPrograms.add(program);
  }

  /** Makes the group one that several hosts share, by a kind of lock. */
  public synchronized void share(String type) {
    lockType = type;
  }

  /** Replaces the group by another one of the same name, whose volumes are the same. */
  public synchronized void replaceGroup() {
    uuid = "ghijkl-" + UUID.randomUUID();
  }

  /** Returns the tags of the group. */
  public synchronized Set<String> groupTags() {
    return Set.copyOf(groupTags);
  }

  /**
   * Opens a device.
   *
   * @param path below {@code /dev/mapper}
   * @throws NoSuchFileException when it is absent
   */
  public synchronized SimulatedDevice open(Path path) throws NoSuchFileException {
    return new SimulatedDevice(
        this,
        mapper
            .find(path.toString().substring(MAPPED_FOLDER))
            .orElseThrow(() -> new NoSuchFileException(path.toString())));
  }

  /** Waits until no device on the way is suspended, and returns the content at its end. */
  synchronized SimulatedBytes awaitContent(SimulatedMapper.Device top) throws IOException {
    try {
      while (isSuspended(top)) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
    SimulatedMapper.Device device = top;
    while (true) {
      String below = device.below().orElseThrow(() -> new IOException("an error target"));
      Optional<SimulatedMapper.Device> next = mapper.numbered(below);
      if (next.isEmpty()) {
        return volumes.values().stream()
            .filter(volume -> volume.active && volume.number.equals(below))
            .findFirst()
            .orElseThrow(() -> new IOException("no device " + below))
            .content;
      }
      device = next.get();
    }
  }

  private boolean isSuspended(SimulatedMapper.Device top) {
    Optional<SimulatedMapper.Device> device = Optional.of(top);
    while (device.isPresent() && !device.get().isSuspended()) {
      device = device.get().below().flatMap(mapper::numbered);
    }
    return device.isPresent();
  }

  /** Returns the names of the logical volumes. */
  public synchronized List<String> volumeNames() {
    return List.copyOf(volumes.keySet());
  }

  /** Returns whether a volume has a device. */
  public synchronized boolean isActive(String volume) {
    return volumes.get(volume).active;
  }

  /** Returns the size of a volume in bytes. */
  public synchronized long size(String volume) {
    return volumes.get(volume).size;
  }

  /** Returns the tags of a volume. */
  public synchronized Set<String> tags(String volume) {
    return volumes.get(volume).tags;
  }

  /** Lets writers allocate a part of a pool, in bytes of data and of metadata. */
  public synchronized void fill(String pool, long used, long metadataUsed) {
    volumes.get(pool).used = used;
    volumes.get(pool).metadataUsed = metadataUsed;
  }

  /** Returns the size of the metadata of a pool in bytes. */
  public synchronized long metadata(String pool) {
    return volumes.get(pool).metadata;
  }

  /** Creates a volume of another program. */
  public synchronized void foreign(String volume) {
    volumes.put(volume, new Volume("linear", "", extent));
  }

  /** Restarts the host: nothing is active, no device is there. */
  public synchronized void reboot() {
    mapper.reboot();
    volumes.values().forEach(volume -> volume.active = false);
  }

  private long free() {
    return SIZE
        - volumes.values().stream()
            .filter(volume -> volume.pool.isEmpty())
            .mapToLong(volume -> volume.size + volume.metadata)
            .sum();
  }

  @Override
  public synchronized Optional<Path> find(String program) {
    return missingPrograms.contains(program)
        ? Optional.empty()
        : Optional.of(Path.of("/usr/sbin", program));
  }

  /** thin_delta and thin_dump, which read the metadata of a pool. */
  @Override
  public synchronized HostProcess start(List<String> command) {
    String words = String.join(" ", command);
    List<Long> blocks;
    if (words.contains("thin_delta")) {
      SimulatedBytes newer = thin(command.get(command.indexOf("--snap2") + 1)).content;
      blocks = newer.differing(thin(command.get(command.indexOf("--snap1") + 1)).content);
    } else {
      blocks = thin(command.get(command.indexOf("--dev-id") + 1)).content.written();
    }
    StringBuilder text = new StringBuilder("<superblock data_block_size=\"128\">\n");
    for (long block : blocks) {
      text.append("<different begin=\"").append(block).append("\" length=\"1\"/>\n");
    }
    return new PrintingProcess(text.append("</superblock>\n").toString());
  }

  private Volume thin(String id) {
    return volumes.values().stream()
        .filter(volume -> volume.thinId == Integer.parseInt(id))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public HostFiles files() {
    return new LocalHost().files();
  }

  @Override
  public synchronized ProgramResult run(ProgramCall call) throws StorageException {
    ProgramResult result = answer(call);
    notifyAll();
    return result;
  }

  private ProgramResult answer(ProgramCall call) {
    List<String> words = call.command().subList(1, call.command().size());
    if (ignored.test(call)) {
      return SimulatedMapper.done("");
    }
    return switch (call.program()) {
      case "vgs" -> SimulatedMapper.done(groupReport(words));
      case "lvs" -> SimulatedMapper.done(volumeReport());
      case "lvcreate" -> create(words);
      case "lvchange" -> change(words);
      case "lvextend" -> extend(words);
      case "lvremove" -> remove(last(words));
      case "vgchange" -> changeGroup(words);
      case "dmsetup" -> mapper.run(words, call.input());
      case "blkdiscard" -> zero(words);
      case "sync", "tee" -> SimulatedMapper.done("");
      default -> throw new IllegalArgumentException(call.toString());
    };
  }

  private static String last(List<String> words) {
    return words.get(words.size() - 1).replace(GROUP + "/", "");
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

  private String groupReport(List<String> words) {
    boolean asked = words.contains("--select=vg_name=\"" + GROUP + "\"");
    String row =
        """
        {"vg_name":"%s","vg_uuid":"%s","vg_size":"%d","vg_free":"%d","vg_extent_size":"%d",
         "vg_lock_type":"%s","vg_missing_pv_count":"0","vg_exported":"","vg_tags":"%s"}"""
            .formatted(GROUP, uuid, SIZE, free(), extent, lockType, String.join(",", groupTags));
    return "{\"report\":[{\"vg\":[" + (asked ? row : "") + "]}]}";
  }

  private String volumeReport() {
    List<String> rows = new ArrayList<>();
    volumes.forEach((name, volume) -> rows.add(row(name, volume)));
    return "{\"report\":[{\"lv\":[" + String.join(",", rows) + "]}]}";
  }

  private String row(String name, Volume volume) {
    String[] number = (volume.active ? volume.number : "-1:-1").split(":", -1);
    return """
        {"lv_name":"%s","lv_uuid":"%s","lv_size":"%d","lv_layout":"%s","pool_lv":"%s",
         "lv_tags":"%s","lv_active":"%s","lv_kernel_major":"%s","lv_kernel_minor":"%s",
         "data_percent":"%s","lv_metadata_size":"%s","metadata_percent":"%s",
         "thin_id":"%s"}"""
        .formatted(
            name,
            volume.uuid,
            volume.size,
            volume.layout,
            volume.pool,
            String.join(",", volume.tags),
            volume.active ? "active" : "",
            number[0],
            number[1],
            percent(volume, volume.used, volume.size),
            volume.metadata == 0 ? "" : Long.toString(volume.metadata),
            volume.metadata == 0 ? "" : percent(volume, volume.metadataUsed, volume.metadata),
            volume.pool.isEmpty() ? "" : Integer.toString(volume.thinId));
  }

  private static String percent(Volume volume, long used, long size) {
    boolean known = volume.active && !volume.layout.equals("linear");
    return known ? String.format(Locale.ROOT, "%.2f", 100.0 * used / size) : "";
  }

  private static boolean isFilled(Volume pool) {
    return pool.used >= pool.size * 0.8 || pool.metadataUsed >= pool.metadata * 0.8;
  }

  private ProgramResult create(List<String> words) {
    String name = option(words, "name").orElseThrow();
    if (volumes.containsKey(name)) {
      return SimulatedMapper.failed("Logical Volume \"" + name + "\" already exists in " + GROUP);
    }
    long space = option(words, "size").isPresent() ? bytes(words, "size") : 0;
    if (space > free()) {
      return SimulatedMapper.failed("Volume group \"vg0\" has insufficient free space");
    }
    if (words.contains("--snapshot")) {
      return copy(words, name);
    }
    if (words.contains("--type=linear")) {
      return add(words, name, new Volume("linear", "", space), false);
    }
    if (words.contains("--type=thin-pool")) {
      Volume pool = new Volume("thin,pool", "", space);
      pool.metadata = bytes(words, "poolmetadatasize");
      return add(words, name, pool, true);
    }
    String pool = option(words, "thinpool").orElseThrow().replace(GROUP + "/", "");
    if (!volumes.containsKey(pool)) {
      return SimulatedMapper.failed("Failed to find pool " + pool);
    } else if (isFilled(volumes.get(pool))) {
      return reachedThreshold();
    }
    return add(words, name, new Volume("thin,sparse", pool, bytes(words, "virtualsize")), true);
  }

  private ProgramResult copy(List<String> words, String name) {
    Volume origin = volumes.get(last(words));
    if (origin == null) {
      return SimulatedMapper.failed("Failed to find logical volume \"" + last(words) + "\"");
    }
    if (isFilled(volumes.get(origin.pool))) {
      return reachedThreshold();
    }
    Volume copy = new Volume("thin,sparse", origin.pool, origin.size);
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
    volume.thinId = volume.pool.isEmpty() ? 0 : ++thinIds;
    volumes.put(name, volume);
    if (active) {
      activate(volume);
    }
    return SimulatedMapper.done("");
  }

  private void activate(Volume volume) {
    if (!volume.pool.isEmpty()) {
      activate(volumes.get(volume.pool));
    }
    if (!volume.active) {
      volume.number = "253:" + minor++;
      volume.active = true;
    }
  }

  private ProgramResult changeGroup(List<String> words) {
    option(words, "addtag").ifPresent(groupTags::add);
    return SimulatedMapper.done("");
  }

  private ProgramResult zero(List<String> words) {
    String device = words.get(words.size() - 1).substring(MAPPED_FOLDER);
    for (Map.Entry<String, Volume> volume : volumes.entrySet()) {
      if (device.equals(GROUP + "-" + volume.getKey().replace("-", "--"))) {
        long from = Long.parseLong(option(words, "offset").orElseThrow());
        long end = from + Long.parseLong(option(words, "length").orElseThrow());
        volume.getValue().content.zero(from, end);
      }
    }
    return SimulatedMapper.done("");
  }

  private ProgramResult change(List<String> words) {
    Volume volume = volumes.get(last(words));
    if (volume == null) {
      return absent(last(words));
    }
    option(words, "deltag").ifPresent(volume.tags::remove);
    option(words, "addtag").ifPresent(volume.tags::add);
    Optional<String> active = option(words, "activate");
    if (active.equals(Optional.of("y"))) {
      activate(volume);
    } else if (active.equals(Optional.of("n"))) {
      if (isInUse(volume)) {
        return inUse(last(words));
      }
      volume.active = false;
    }
    return SimulatedMapper.done("");
  }

  private boolean isInUse(Volume volume) {
    return volume.active && mapper.isUsed(volume.number);
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
    if (option(words, "poolmetadatasize").isPresent()) {
      return extendMetadata(volume, bytes(words, "poolmetadatasize"));
    }
    long size = bytes(words, "size");
    if (size <= volume.size) {
      return SimulatedMapper.failed("New size given not larger than existing size");
    }
    if (volume.pool.isEmpty() && size - volume.size > free()) {
      return SimulatedMapper.failed("Insufficient free space: extents needed");
    }
    volume.size = size;
    return SimulatedMapper.done("");
  }

  private ProgramResult extendMetadata(Volume pool, long size) {
    if (size - pool.metadata > free()) {
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
    if (isInUse(volume)) {
      return inUse(name);
    }
    volumes.remove(name);
    volumes.values().removeIf(other -> other.pool.equals(name));
    return SimulatedMapper.done("");
  }
}
