package dev.holdfast.engine.spdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.spdk.internal.replica.LegNode;
import dev.holdfast.engine.spdk.internal.replica.LegNodes;
import dev.holdfast.engine.spdk.internal.volume.SpdkVolume;
import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Several nodes, each with a target and an engine. Calls between the nodes are method calls, which
 * a test can interrupt. Bytes between the targets travel over sockets.
 */
final class SpdkCluster {
  static final long SIZE = 16L << 20;

  private final Fabric fabric = new Fabric();
  private final Map<String, SpdkLab> labs = new TreeMap<>();
  private final Map<String, SpdkEngine> engines = new ConcurrentHashMap<>();
  private final Set<String> cut = ConcurrentHashMap.newKeySet();
  private final Path disks;

  /** Creates a node of a cluster. */
  interface Maker {
    SpdkLab make(Fabric fabric, String node, LegNodes nodes);
  }

  SpdkCluster(Path disks, Maker maker, int count) throws Exception {
    this.disks = disks;
    for (int i = 1; i <= count; i++) {
      String name = "node-" + i;
      labs.put(name, maker.make(fabric, name, other -> reached(name, other)));
      start(name);
    }
  }

  SpdkLab lab(String node) {
    return labs.get(node);
  }

  SpdkEngine engine(String node) {
    return engines.get(node);
  }

  void start(String node) throws Exception {
    engines.put(node, lab(node).start());
  }

  /** Ends the engine of a node as {@code kill -9} does. Its target continues. */
  void kill(String node) throws Exception {
    lab(node).kill(engines.remove(node));
  }

  /** Interrupts the calls of a node to and from the other nodes, and to the register. */
  void cut(String node) {
    cut.add(node);
  }

  void join(String node) {
    cut.remove(node);
  }

  private LegNode reached(String from, String to) {
    return (LegNode)
        Proxy.newProxyInstance(
            LegNode.class.getClassLoader(),
            new Class<?>[] {LegNode.class},
            (proxy, method, arguments) -> {
              Optional<SpdkEngine> engine = Optional.ofNullable(engines.get(to));
              if (engine.isEmpty() || cut.contains(from) || cut.contains(to)) {
                throw new StorageException(
                    ErrorCode.UNREACHABLE, "node " + to + " cannot be reached");
              }
              try {
                return method.invoke(engine.get().service(), arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
  }

  /** Creates the replicas of a volume, one on each of the given nodes. */
  List<ReplicaLocation> provision(String volume, String... nodes) throws Exception {
    List<ReplicaLocation> replicas = new ArrayList<>();
    for (String node : nodes) {
      replicas.add(provisioned(volume, node));
    }
    return replicas;
  }

  private ReplicaLocation provisioned(String volume, String node) throws Exception {
    DiskLocation disk = lab(node).disk(disks, 1);
    var unused = engine(node).prepareDisk(disk);
    String replica = volume + "-r-" + node;
    ReplicaLocation location = new ReplicaLocation(volume, replica, disk, replica, false);
    engine(node).provisionReplica(location, SIZE);
    return location;
  }

  SpdkVolume open(
      String node,
      List<ReplicaLocation> replicas,
      InMemoryRegister register,
      RecordingListener listener)
      throws StorageException {
    return (SpdkVolume)
        engine(node)
            .open(
                new OpenRequest(
                    replicas.get(0).volume(),
                    SIZE,
                    node,
                    replicas,
                    reached(node, register),
                    listener));
  }

  private MembershipRegister reached(String node, MembershipRegister register) {
    return new MembershipRegister() {
      private void requireReached() throws StorageException {
        if (cut.contains(node)) {
          throw new StorageException(ErrorCode.UNREACHABLE, "register: " + node + " is cut off");
        }
      }

      @Override
      public Membership read() throws StorageException {
        requireReached();
        return register.read();
      }

      @Override
      public boolean compareAndSet(Membership expected, Membership next) throws StorageException {
        requireReached();
        return register.compareAndSet(expected, next);
      }
    };
  }

  /**
   * Opens one replica of a closed volume alone, on its own node. Returns the SHA-256 of some of its
   * contents. The register has the same members afterwards.
   */
  private Map<String, String> alone(
      ReplicaLocation replica, InMemoryRegister register, Collection<String> contents)
      throws Exception {
    Membership members = register.record();
    try (SpdkVolume volume =
        open(replica.nodeId(), List.of(replica), register, new RecordingListener())) {
      Map<String, String> sums = new TreeMap<>();
      for (String content : contents) {
        boolean head = content.equals(SnapshotInfo.HEAD);
        BlockDevice device = head ? volume.device() : volume.openSnapshot(content);
        byte[] bytes = new DeviceIo(device).read(0, (int) device.size());
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        sums.put(content, HexFormat.of().formatHex(digest.digest(bytes)));
        if (!head) {
          device.close();
        }
      }
      return sums;
    } finally {
      register.put(
          new Membership(
              register.record().generation(),
              "",
              register.record().epochGeneration(),
              register.record().epochNumber() + 1,
              members.members()));
    }
  }

  /** Fails unless all replicas of a closed volume have the same contents. */
  void requireEqual(
      List<ReplicaLocation> replicas, InMemoryRegister register, Collection<String> contents)
      throws Exception {
    Map<String, String> first = alone(replicas.get(0), register, contents);
    for (ReplicaLocation other : replicas.subList(1, replicas.size())) {
      assertThat(alone(other, register, contents)).as(other.replica()).isEqualTo(first);
    }
  }

  /** Ends all engines and targets. */
  void stop() throws Exception {
    for (String node : new HashSet<>(engines.keySet())) {
      lab(node).stop(engines.remove(node));
    }
  }
}
