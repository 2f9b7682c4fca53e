package dev.holdfast.lvm.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Exports of one host, and devices that are connected to exports of other hosts. Requests of a
 * disconnected device wait until it is connected again. A connection ends with its export, and with
 * the process that connected it.
 *
 * <p>A second connection of a device to the same live export is an error of the code under test,
 * because a late request of the first connection could overwrite newer data. Thread-safe.
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

  /** Export of a volume in a generation; each export is unique. */
  private static final class Export {
    private final String volume;
    private final long generation;

    private Export(String volume, long generation) {
      this.volume = volume;
      this.generation = generation;
    }
  }

  /** A device and its export, whose connection may be lost. */
  private record Link(String number, SimulatedLvm exporter, Export export, boolean lost) {
    private Link ended() {
      return new Link(number, exporter, export, true);
    }
  }

  /**
   * Exports an active volume, or finds its export of this generation.
   *
   * @param device path of the device
   * @param name of the export
   * @param generation that clients must request
   * @throws IOException when the volume is not active
   */
  public void export(Path device, String name, long generation) throws IOException {
    synchronized (host.group()) {
      String volume = device.toString().substring(MAPPED_GROUP).replace("--", "-");
      if (host.activeContent(volume).isEmpty()) {
        throw new IOException(device + " is not active");
      }
      if (exported(name, generation).isEmpty()) {
        exports.put(name, new Export(volume, generation));
      }
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

  /** Ends the exports and connections of this host, like the end of its process. Devices remain. */
  public void endProcess() {
    synchronized (host.group()) {
      exports.clear();
      links.replaceAll((name, link) -> link.ended());
    }
  }

  /** Ends the connection of a device while both processes live. */
  public void loseConnection(String name) {
    synchronized (host.group()) {
      links.computeIfPresent(name, (unused, link) -> link.ended());
    }
  }

  /** Returns whether the connection of a device is lost. */
  public boolean isLost(String name) {
    synchronized (host.group()) {
      return links.containsKey(name) && !isConnected(name, links.get(name));
    }
  }

  private boolean isConnected(String name, Link link) {
    return !link.lost() && link.exporter().links().exports.get(name) == link.export();
  }

  void reboot() {
    exports.clear();
    links.clear();
  }

  private Optional<Export> exported(String name, long generation) {
    return Optional.ofNullable(exports.get(name)).filter(export -> export.generation == generation);
  }

  /**
   * Connects or reconnects the device of an export.
   *
   * @param name of the export
   * @param exporter host of the export
   * @param generation of the export
   * @return number of the device
   * @throws IOException when the export does not answer, or has another generation
   */
  public String connect(String name, SimulatedLvm exporter, long generation) throws IOException {
    synchronized (host.group()) {
      Export export =
          exporter
              .links()
              .exported(name, generation)
              .orElseThrow(
                  () -> new IOException("no export " + name + " of generation " + generation));
      Link former = links.get(name);
      if (former != null && former.export() == export) {
        throw new AssertionError(
            "the device of export "
                + name
                + " on "
                + host.name()
                + " is connected a second time in generation "
                + generation
                + ": the export may still work on requests of the first connection");
      }
      String number = former == null ? "43:" + minor++ : former.number();
      links.put(name, new Link(number, exporter, export, false));
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

  /** Returns the numbers of the connected devices by export name. */
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

  /** Returns whether a number belongs to a device with a lost connection. */
  boolean isLostLink(String number) {
    return links.entrySet().stream()
        .anyMatch(
            entry ->
                entry.getValue().number().equals(number)
                    && !isConnected(entry.getKey(), entry.getValue()));
  }

  /** Returns the content of a connected device, empty while its connection is lost. */
  Optional<SimulatedBytes> content(String number) {
    for (Map.Entry<String, Link> entry : links.entrySet()) {
      Link link = entry.getValue();
      if (link.number().equals(number)) {
        return isConnected(entry.getKey(), link)
            ? link.exporter().activeContent(link.export().volume)
            : Optional.empty();
      }
    }
    return Optional.empty();
  }
}
