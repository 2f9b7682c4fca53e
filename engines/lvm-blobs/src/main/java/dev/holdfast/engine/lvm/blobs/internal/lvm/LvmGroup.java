package dev.holdfast.engine.lvm.blobs.internal.lvm;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.ProgramCall;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A volume group of one host: reports and single commands. A command that changes something is not
 * idempotent; its caller looks first. Sizes are in bytes and multiples of the extent. Thread-safe.
 */
public final class LvmGroup {
  private static final long METADATA_BYTES = 4L << 20;
  private static final Duration WIPE_TIMEOUT = Duration.ofMinutes(10);
  private static final String IN_BYTES = "b";

  private final LvmCommands commands;
  private final String name;
  private final Runnable changed;

  /** Works on the group of a name. */
  public LvmGroup(Host host, String name) {
    this(host, name, () -> {});
  }

  /**
   * Works on the group of a name.
   *
   * @param changed called after each command that may have changed the group, also when it failed
   */
  public LvmGroup(Host host, String name, Runnable changed) {
    this.commands = new LvmCommands(host);
    this.name = name;
    this.changed = changed;
  }

  /** Returns the name of the group. */
  public String name() {
    return name;
  }

  private String read(String program, String... arguments) throws StorageException {
    return commands.run("volume group " + name, program, arguments);
  }

  private void change(String program, String... arguments) throws StorageException {
    try {
      String unused = commands.run("volume group " + name, program, arguments);
    } finally {
      changed.run();
    }
  }

  /**
   * Returns the state of the group.
   *
   * @throws StorageException NOT_FOUND with the remedy; UNSUPPORTED
   */
  public GroupReport report() throws StorageException {
    List<GroupReport> groups =
        LvmReports.groups(
            read(
                "vgs",
                "--reportformat=json",
                "--units=b",
                "--nosuffix",
                "--options=" + LvmReports.GROUP_FIELDS,
                "--select=vg_name=\"" + name + "\""));
    if (groups.isEmpty()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "volume group " + name + " does not exist on this host: 'vgs' lists those that do");
    }
    if (groups.size() > 1) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume group " + name + ": two groups have this name: rename one: vgrename UUID NAME");
    }
    return groups.get(0);
  }

  /** Returns the logical volumes of the group by name, those that LVM hides left out. */
  public Map<String, LogicalVolume> volumes() throws StorageException {
    Map<String, LogicalVolume> volumes = new LinkedHashMap<>();
    for (LogicalVolume volume : LvmReports.volumes(volumes(LvmReports.VOLUME_FIELDS))) {
      volumes.put(volume.name(), volume);
    }
    return volumes;
  }

  /**
   * Returns the group with its volumes, by one program when it has volumes.
   *
   * @throws StorageException NOT_FOUND; UNSUPPORTED
   */
  public GroupView view() throws StorageException {
    Optional<GroupView> view;
    try {
      view = LvmReports.view(volumes(LvmReports.VIEW_FIELDS));
    } catch (StorageException e) {
      GroupReport unused = report(); // says what is wrong with the group
      throw e;
    }
    return view.isPresent() ? view.get() : new GroupView(report(), Map.of());
  }

  private String volumes(String fields) throws StorageException {
    return read(
        "lvs", "--reportformat=json", "--units=b", "--nosuffix", "--options=" + fields, name);
  }

  /**
   * Returns how the commands of this host lock the group; also when they refuse to read it without
   * a lock daemon.
   *
   * @throws StorageException NOT_FOUND with the remedy; UNSUPPORTED; IO
   */
  public GroupLocking locking() throws StorageException {
    return new LockingReader(commands, name).read();
  }

  /**
   * Returns where the lease of a volume is in the volume of leases; empty when the volume has no
   * lock, as thin volumes, whose pool has it.
   *
   * @throws StorageException NOT_FOUND when the group or the volume is absent
   */
  public OptionalLong lockOffset(String volumeUuid) throws StorageException {
    return new LockingReader(commands, name).offset(volumeUuid);
  }

  /**
   * Joins the lock space of the group. LVM does not wait until udev has made the device of the
   * leases, so a first attempt may not find it.
   */
  public void startLocks() throws StorageException {
    try {
      change("vgchange", "--lock-start", name);
    } catch (StorageException e) {
      if (!e.getMessage().contains("invalid parameters")) {
        throw e;
      }
      change("vgchange", "--lock-start", name);
    }
  }

  /** Adds a tag to the group; succeeds when the group has it. */
  public void tag(String tag) throws StorageException {
    change("vgchange", "--addtag=" + tag, name);
  }

  /**
   * Creates a thin pool. It writes zeroes to a block before the block's first use, and lets writers
   * wait when it is full.
   */
  public void createPool(String pool, long sizeBytes, String tag) throws StorageException {
    change(
        "lvcreate",
        "--yes",
        "--type=thin-pool",
        "--size=" + sizeBytes + IN_BYTES,
        "--poolmetadatasize=" + METADATA_BYTES + IN_BYTES,
        "--zero=y",
        "--addtag=" + tag,
        "--name=" + pool,
        name);
  }

  /** Creates a volume in a pool. */
  public void createThin(String pool, String volume, long sizeBytes, String tag)
      throws StorageException {
    change(
        "lvcreate",
        "--yes",
        "--type=thin",
        "--thinpool=" + name + "/" + pool,
        "--virtualsize=" + sizeBytes + IN_BYTES,
        "--setactivationskip=n",
        "--addtag=" + tag,
        "--name=" + volume);
  }

  /** Creates a snapshot of a thin volume. */
  public void createSnapshot(String origin, String volume, String tag) throws StorageException {
    change(
        "lvcreate",
        "--yes",
        "--snapshot",
        "--setactivationskip=n",
        "--addtag=" + tag,
        "--name=" + volume,
        name + "/" + origin);
  }

  /** Creates a volume whose space is allocated and keeps its bytes. It is not active. */
  public void createLinear(String volume, long sizeBytes, List<String> tags)
      throws StorageException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--yes",
                "--type=linear",
                "--size=" + sizeBytes + IN_BYTES,
                "--activate=n",
                "--zero=n",
                "--wipesignatures=n",
                "--name=" + volume));
    tags.forEach(tag -> arguments.add("--addtag=" + tag));
    arguments.add(name);
    change("lvcreate", arguments.toArray(String[]::new));
  }

  /** Returns the device of an active volume. */
  public Path device(String volume) {
    return Path.of("/dev/mapper", name.replace("-", "--") + "-" + volume.replace("-", "--"));
  }

  /**
   * Overwrites a part of an active volume with zeroes, durable when this returns.
   *
   * @param from first byte, a multiple of 4096
   * @param length a multiple of 4096
   */
  public void zero(String volume, long from, long length) throws StorageException {
    Host host = commands.host();
    String device = device(volume).toString();
    String discard = host.require("blkdiscard", "util-linux");
    String sync = host.require("sync", "coreutils");
    String unused =
        host.check(
            ProgramCall.of(
                WIPE_TIMEOUT,
                List.of(discard, "--zeroout", "--offset=" + from, "--length=" + length, device)));
    unused = host.check(ProgramCall.of(WIPE_TIMEOUT, List.of(sync, "--data", device)));
  }

  /** Replaces a tag by another one, at once. */
  public void replaceTag(String volume, String old, String tag) throws StorageException {
    change("lvchange", "--deltag=" + old, "--addtag=" + tag, "--yes", name + "/" + volume);
  }

  /** Gives a volume a device, and the pool that it is in. */
  public void activate(String volume) throws StorageException {
    activate(volume, "y");
  }

  /**
   * Gives a volume of a shared group a device on this host alone, and the pool that it is in.
   *
   * @throws StorageException BUSY while another host has it active
   */
  public void activateExclusively(String volume) throws StorageException {
    activate(volume, "ey");
  }

  /**
   * Gives volumes of one pool devices on this host alone, by one program; see {@link
   * #activateExclusively(String)}.
   *
   * @param volumes at least one
   */
  public void activateExclusively(List<String> volumes) throws StorageException {
    change("lvchange", operands("ey", volumes));
  }

  private String[] operands(String how, List<String> volumes) {
    List<String> words = new ArrayList<>(List.of("--activate=" + how, "--yes"));
    volumes.forEach(volume -> words.add(name + "/" + volume));
    return words.toArray(String[]::new);
  }

  /**
   * Gives a linear volume of a shared group a device that other hosts may have too.
   *
   * @throws StorageException BUSY while another host has it alone
   */
  public void activateShared(String volume) throws StorageException {
    activate(volume, "sy");
  }

  private void activate(String volume, String how) throws StorageException {
    change("lvchange", operands(how, List.of(volume)));
  }

  /**
   * Takes the device of a volume away.
   *
   * @throws StorageException BUSY while a program has it open
   */
  public void deactivate(String volume) throws StorageException {
    deactivate(List.of(volume));
  }

  /**
   * Takes the devices of volumes away, by one program.
   *
   * @param volumes at least one
   * @throws StorageException BUSY while a program has one open; the others have no devices then
   */
  public void deactivate(List<String> volumes) throws StorageException {
    change("lvchange", operands("n", volumes));
  }

  /** Makes the metadata of a pool larger. */
  public void extendMetadata(String pool, long sizeBytes) throws StorageException {
    change("lvextend", "--yes", "--poolmetadatasize=" + sizeBytes + IN_BYTES, name + "/" + pool);
  }

  /** Makes a volume, or the data of a pool, larger. */
  public void extend(String volume, long sizeBytes) throws StorageException {
    change("lvextend", "--yes", "--size=" + sizeBytes + IN_BYTES, name + "/" + volume);
  }

  /**
   * Removes a volume, or a pool with all volumes in it.
   *
   * @throws StorageException BUSY while a program has it open
   */
  public void remove(String volume) throws StorageException {
    change("lvremove", "--yes", name + "/" + volume);
  }
}
