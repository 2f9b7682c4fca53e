package dev.holdfast.lvm.testkit;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFiles;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.LocalHost;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.lvm.testkit.SimulatedGroup.Volume;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * A host with one volume group, in memory. It rejects the same requests as LVM: a used name, a
 * volume that is absent or in use, and a size that is not greater. Thread-safe.
 */
public final class SimulatedLvm implements Host {
  /** Name of the group. */
  public static final String GROUP = "vg0";

  /** Size of the group in bytes. */
  public static final long SIZE = 4L << 30;

  static final int FORMER_CONTENT = 0xee;
  static final int MAPPED_FOLDER = "/dev/mapper/".length();

  /** The device mapper of the host. */
  public final SimulatedMapper mapper;

  private final SimulatedGroup group;
  private final String name;
  private final SimulatedLinks links;
  private final SimulatedCommands commands;
  private final Map<String, Volume> volumes;
  private final Set<String> missingPrograms = new TreeSet<>();
  private Predicate<ProgramCall> ignored = call -> false;
  private int minor = 1;

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
    this(new SimulatedGroup(extent, ""), "node-1");
  }

  /**
   * Creates a host.
   *
   * @param group group that the host sees, possibly with other hosts
   * @param name of the host
   */
  public SimulatedLvm(SimulatedGroup group, String name) {
    this.group = group;
    this.name = name;
    this.volumes = group.volumes;
    this.links = new SimulatedLinks(this);
    this.mapper = new SimulatedMapper(links::isLostLink);
    this.commands = new SimulatedCommands(this);
    group.hosts.add(this);
  }

  /** Returns the group that it sees. */
  public SimulatedGroup group() {
    return group;
  }

  /** Returns the name of the host. */
  public String name() {
    return name;
  }

  /** Returns the host's exports, and its devices that are connected to exports of other hosts. */
  public SimulatedLinks links() {
    return links;
  }

  Optional<SimulatedBytes> activeContent(String volume) {
    return Optional.ofNullable(volumes.get(volume)).filter(this::isActive).map(one -> one.content);
  }

  String nextNumber() {
    return "253:" + minor++;
  }

  boolean isActive(Volume volume) {
    return volume.numbers.containsKey(this);
  }

  /** Makes commands of a kind succeed without effect. */
  public void ignore(Predicate<ProgramCall> calls) {
    synchronized (group) {
      ignored = calls;
    }
  }

  /** Removes a program from the host. */
  public void uninstall(String program) {
    synchronized (group) {
      missingPrograms.add(program);
    }
  }

  /** Makes the group shared by several hosts, with a kind of lock. */
  public void share(String type) {
    synchronized (group) {
      group.lockType = type;
    }
  }

  /** Replaces the group by another one with the same name and volumes. */
  public void replaceGroup() {
    synchronized (group) {
      group.uuid = "ghijkl-" + UUID.randomUUID();
    }
  }

  /** Returns the tags of the group. */
  public Set<String> groupTags() {
    synchronized (group) {
      return Set.copyOf(group.tags);
    }
  }

  /**
   * Opens a device.
   *
   * @param path below {@code /dev/mapper}
   * @throws NoSuchFileException when it is absent
   */
  public SimulatedDevice open(Path path) throws NoSuchFileException {
    synchronized (group) {
      return new SimulatedDevice(
          this,
          mapper
              .find(path.toString().substring(MAPPED_FOLDER))
              .orElseThrow(() -> new NoSuchFileException(path.toString())));
    }
  }

  /** Waits until none of the devices below is suspended, and returns the content at the end. */
  SimulatedBytes awaitContent(SimulatedMapper.Device top) throws IOException {
    synchronized (group) {
      try {
        Optional<SimulatedBytes> content = isSuspended(top) ? Optional.empty() : content(top);
        while (content.isEmpty()) {
          group.wait();
          content = isSuspended(top) ? Optional.empty() : content(top);
        }
        return content.get();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
    }
  }

  /** Returns the content below a device, empty while a connection is lost. */
  private Optional<SimulatedBytes> content(SimulatedMapper.Device top) throws IOException {
    SimulatedMapper.Device device = top;
    while (true) {
      String below = device.below().orElseThrow(() -> new IOException("an error target"));
      Optional<SimulatedMapper.Device> next = mapper.numbered(below);
      if (next.isEmpty()) {
        return links.isLink(below) ? links.content(below) : Optional.of(local(below));
      }
      device = next.get();
    }
  }

  private SimulatedBytes local(String number) throws IOException {
    return volumes.values().stream()
        .filter(volume -> number.equals(volume.numbers.get(this)))
        .findFirst()
        .orElseThrow(() -> new IOException("no device " + number))
        .content;
  }

  private boolean isSuspended(SimulatedMapper.Device top) {
    Optional<SimulatedMapper.Device> device = Optional.of(top);
    while (device.isPresent() && !device.get().isSuspended()) {
      device = device.get().below().flatMap(mapper::numbered);
    }
    return device.isPresent();
  }

  /** Returns the names of the logical volumes. */
  public List<String> volumeNames() {
    synchronized (group) {
      return List.copyOf(volumes.keySet());
    }
  }

  /** Returns whether a volume has a device. */
  public boolean isActive(String volume) {
    synchronized (group) {
      return isActive(volumes.get(volume));
    }
  }

  /** Returns the size of a volume in bytes. */
  public long size(String volume) {
    synchronized (group) {
      return volumes.get(volume).size;
    }
  }

  /** Returns the tags of a volume. */
  public Set<String> tags(String volume) {
    synchronized (group) {
      return volumes.get(volume).tags;
    }
  }

  /** Simulates the allocation of a part of a pool, in bytes of data and of metadata. */
  public void fill(String pool, long used, long metadataUsed) {
    synchronized (group) {
      volumes.get(pool).used = used;
      volumes.get(pool).metadataUsed = metadataUsed;
    }
  }

  /** Returns the size of the metadata of a pool in bytes. */
  public long metadata(String pool) {
    synchronized (group) {
      return volumes.get(pool).metadata;
    }
  }

  /** Creates a volume of another program. */
  public void foreign(String volume) {
    foreign(volume, group.extent);
  }

  /** Creates or resizes a volume of another program, in bytes. */
  public void foreign(String volume, long size) {
    synchronized (group) {
      volumes.put(volume, new Volume("linear", "", size, FORMER_CONTENT));
    }
  }

  /** Restarts the host without active volumes and devices. */
  public void reboot() {
    synchronized (group) {
      mapper.reboot();
      links.reboot();
      volumes.values().forEach(volume -> volume.numbers.remove(this));
      volumes.values().forEach(volume -> volume.implied.remove(this));
      group.notifyAll();
    }
  }

  @Override
  public Optional<Path> find(String program) {
    synchronized (group) {
      return missingPrograms.contains(program)
          ? Optional.empty()
          : Optional.of(Path.of("/usr/sbin", program));
    }
  }

  /**
   * Simulates thin_delta and thin_dump, which read the metadata of a pool, and a shell that resumes
   * a device at the end of its input.
   */
  @Override
  public HostProcess start(List<String> command) {
    synchronized (group) {
      if (command.get(0).endsWith("/sh")) {
        boolean effective = !ignored.test(ProgramCall.of(Duration.ofMinutes(1), command));
        String device = command.get(command.size() - 1);
        return new WaitingProcess(() -> resume(device, effective));
      }
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
  }

  private void resume(String device, boolean effective) {
    synchronized (group) {
      if (effective) {
        ProgramResult unused = mapper.run(List.of("resume", device), "");
        group.notifyAll();
      }
    }
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
  public ProgramResult run(ProgramCall call) throws StorageException {
    synchronized (group) {
      ProgramResult result = ignored.test(call) ? SimulatedMapper.done("") : commands.run(call);
      group.notifyAll();
      return result;
    }
  }
}
