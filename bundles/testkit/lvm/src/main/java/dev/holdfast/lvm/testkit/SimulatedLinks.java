package dev.holdfast.lvm.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Exports of one host, and devices that are connected to exports of other hosts. Requests of a
 * device whose export is gone wait. Thread-safe.
 */
public final class SimulatedLinks {
  private static final int MAPPED_GROUP = ("/dev/mapper/" + SimulatedLvm.GROUP + "-").length();

  private final SimulatedLvm host;
  private final Map<String, Export> exports = new TreeMap<>();
  private final Map<String, Link> links = new TreeMap<>();
  private int minor;

  SimulatedLinks(SimulatedLvm host) {
    this.host = host;
  }

  /** A volume that is exported in a generation. */
  private record Export(String volume, long generation) {}

  /** A device that is connected to an export. */
  private record Link(String number, SimulatedLvm exporter, long generation) {}

  /**
   * Exports an active volume.
   *
   * @param device its path
   * @param name of the export
   * @param generation that clients must ask for
   * @throws IOException when the volume is not active
   */
  public void export(Path device, String name, long generation) throws IOException {
    synchronized (host.group()) {
      String volume = device.toString().substring(MAPPED_GROUP).replace("--", "-");
      if (host.activeContent(volume).isEmpty()) {
        throw new IOException(device + " is not active");
      }
      exports.put(name, new Export(volume, generation));
      host.group().notifyAll();
    }
  }

  /** Withdraws an export of a generation; succeeds when it is absent. */
  public void withdraw(String name, long generation) {
    synchronized (host.group()) {
      if (exported(name, generation).isPresent()) {
        exports.remove(name);
      }
    }
  }

  /** Ends the exports, as the end of the process does that has them. Devices stay. */
  public void endProcess() {
    synchronized (host.group()) {
      exports.clear();
    }
  }

  void reboot() {
    exports.clear();
    links.clear();
  }

  private Optional<String> exported(String name, long generation) {
    return Optional.ofNullable(exports.get(name))
        .filter(export -> export.generation() == generation)
        .map(Export::volume);
  }

  /**
   * Connects a device to an export, or the device of this export again.
   *
   * @param name of the export
   * @param exporter host that has it
   * @param generation of the export
   * @return number of the device
   * @throws IOException when the export does not answer, or has another generation
   */
  public String connect(String name, SimulatedLvm exporter, long generation) throws IOException {
    synchronized (host.group()) {
      if (exporter.links().exported(name, generation).isEmpty()) {
        throw new IOException("no export " + name + " of generation " + generation);
      }
      Link former = links.get(name);
      String number = former == null ? "43:" + minor++ : former.number();
      links.put(name, new Link(number, exporter, generation));
      host.group().notifyAll();
      return number;
    }
  }

  /**
   * Removes the device of an export; succeeds when it is absent.
   *
   * @throws IOException while another device is above it
   */
  public void disconnect(String name) throws IOException {
    synchronized (host.group()) {
      Link link = links.get(name);
      if (link != null && host.mapper.isUsed(link.number())) {
        throw new IOException("the device of export " + name + " is in use");
      }
      links.remove(name);
    }
  }

  /** Returns the devices that are connected to exports: their numbers by the names of these. */
  public Map<String, String> connected() {
    synchronized (host.group()) {
      Map<String, String> numbers = new TreeMap<>();
      links.forEach((name, link) -> numbers.put(name, link.number()));
      return numbers;
    }
  }

  /** Returns the names of the exports. */
  public Set<String> exports() {
    synchronized (host.group()) {
      return Set.copyOf(exports.keySet());
    }
  }

  boolean isLink(String number) {
    return links.values().stream().anyMatch(link -> link.number().equals(number));
  }

  /** Returns the content to which a device is connected, empty while its export is gone. */
  Optional<SimulatedBytes> content(String number) {
    for (Map.Entry<String, Link> entry : links.entrySet()) {
      Link link = entry.getValue();
      if (link.number().equals(number)) {
        return link.exporter()
            .links()
            .exported(entry.getKey(), link.generation())
            .flatMap(link.exporter()::activeContent);
      }
    }
    return Optional.empty();
  }
}
