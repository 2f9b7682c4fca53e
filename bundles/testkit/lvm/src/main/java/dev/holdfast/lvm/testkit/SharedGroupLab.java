package dev.holdfast.lvm.testkit;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.vm.testkit.VmHost;
import dev.holdfast.vm.testkit.VmOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Two virtual machines with one disk: real LVM, lvmlockd and sanlock, and a network between them.
 *
 * <pre>
 *   node 1 (10.9.0.2, host id 1) ──┐
 *                                  ├── /dev/ubda, a file of this machine
 *   node 2 (10.9.0.3, host id 2) ──┘
 * </pre>
 *
 * Thread-safe, except that {@link #close} must come last.
 */
public final class SharedGroupLab implements AutoCloseable {
  /** Name of the shared group. */
  public static final String GROUP = "vg0";

  private static final String DISK = "/dev/ubda";
  private static final int NODES = 2;
  private static final int MEBIBYTES = 640;
  private static final Duration LIFETIME = Duration.ofHours(2);
  private static final Duration COMMAND = Duration.ofMinutes(3);

  private final List<VmHost> nodes;

  private SharedGroupLab(List<VmHost> nodes) {
    this.nodes = List.copyOf(nodes);
  }

  /**
   * Boots both machines with a bare disk.
   *
   * @param folder folder for the disk
   * @param size of the disk, such as {@code 2G}
   * @throws StorageException UNREACHABLE when a machine does not start
   */
  public static SharedGroupLab boot(Path folder, String size) throws StorageException {
    int port = freePort();
    List<Callable<VmHost>> starts = new ArrayList<>();
    for (int number = 1; number <= NODES; number++) {
      VmOptions options = options(folder, size, number, port);
      starts.add(() -> VmHost.start(options));
    }
    SharedGroupLab lab = new SharedGroupLab(started(starts));
    for (int number = 1; number <= NODES; number++) {
      lab.prepare(number);
    }
    return lab;
  }

  private static List<VmHost> started(List<Callable<VmHost>> starts) throws StorageException {
    ExecutorService threads = Executors.newFixedThreadPool(NODES);
    List<VmHost> hosts = new ArrayList<>();
    Exception failure = null;
    try {
      for (Future<VmHost> start : threads.invokeAll(starts)) {
        try {
          hosts.add(start.get());
        } catch (ExecutionException e) {
          failure = e;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failure = e;
    } finally {
      threads.shutdown();
    }
    if (failure != null) {
      hosts.forEach(VmHost::kill);
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          "a virtual machine did not start: " + failure.getMessage(),
          failure);
    }
    return hosts;
  }

  private static VmOptions options(Path folder, String size, int number, int port) {
    return new VmOptions(MEBIBYTES, List.of("dm-mod", "dm-thin-pool", "nbd"), List.of(), LIFETIME)
        .withOptions("-u", "-D", folder.resolve("shared") + ":" + size)
        .withOptions("-l", (number + 1) + ":" + port);
  }

  private static int freePort() throws StorageException {
    try (DatagramSocket socket = new DatagramSocket()) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw StorageException.io("network of virtual machines", e);
    }
  }

  private void prepare(int number) throws StorageException {
    try (InputStream script = SharedGroupLab.class.getResourceAsStream("shared-node.sh")) {
      String unused = sh(number, new String(script.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw StorageException.io("shared-node.sh", e);
    }
  }

  /**
   * Sets up the shared group with the commands of {@code engines/lvm/SHARED-GROUPS.md}.
   *
   * @throws StorageException IO with the output of the command that failed
   */
  public void createGroup() throws StorageException {
    for (SetupLines.Line line : SetupLines.read()) {
      for (int number = 1; number <= NODES; number++) {
        if (line.nodes().include(number)) {
          String unused = sh(number, "ID=" + number + " DISK=" + DISK + "\n" + line.command());
        }
      }
    }
  }

  /** Returns a node as a host, numbered from 1. */
  public VmHost node(int number) {
    return nodes.get(number - 1);
  }

  /** Returns the address of a node in the network of the machines. */
  public String address(int number) {
    return "10.9.0." + (number + 1);
  }

  private static ProgramCall script(String text) {
    return ProgramCall.of(COMMAND, List.of("/bin/bash", "-c", text));
  }

  /**
   * Runs a script on a node.
   *
   * @return output of the script
   * @throws StorageException IO with its last lines when it fails
   */
  public String sh(int number, String text) throws StorageException {
    return node(number).check(script(text));
  }

  /** Runs a script that may fail on a node. */
  public ProgramResult result(int number, String text) throws StorageException {
    return node(number).run(script(text));
  }

  @Override
  public void close() throws StorageException {
    StorageException failure = null;
    for (VmHost node : nodes) {
      try {
        node.close();
      } catch (StorageException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
