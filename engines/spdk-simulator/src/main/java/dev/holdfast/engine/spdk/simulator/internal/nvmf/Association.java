package dev.holdfast.engine.spdk.simulator.internal.nvmf;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.simulator.fabric.FabricException;
import dev.holdfast.engine.spdk.simulator.fabric.FabricHost;
import dev.holdfast.engine.spdk.simulator.fabric.FabricNamespace;
import dev.holdfast.engine.spdk.simulator.fabric.FabricSubsystem;
import dev.holdfast.engine.spdk.simulator.internal.tcp.ServedAssociation;
import dev.holdfast.engine.spdk.simulator.internal.tcp.ServedNamespace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/** One host at one listener of a subsystem. */
final class Association implements ServedAssociation {
  private final Subsystem subsystem;
  private final Listener listener;
  private final FabricHost host;
  private final int controller;
  private final List<Events> observers = new CopyOnWriteArrayList<>();
  private volatile boolean ended;

  Association(Subsystem subsystem, Listener listener, FabricHost host, int controller) {
    this.subsystem = subsystem;
    this.listener = listener;
    this.host = host;
    this.controller = controller;
  }

  @Override
  public int controllerId() {
    return controller;
  }

  @Override
  public FabricSubsystem subsystem() {
    return subsystem.summary();
  }

  @Override
  public List<FabricNamespace> namespaces() {
    return List.copyOf(served());
  }

  @Override
  public List<ServedNamespace> served() {
    return ended
        ? List.of()
        : subsystem.namespaces().stream().<ServedNamespace>map(Reached::new).toList();
  }

  @Override
  public int accessState(int group) {
    return listener.state(group).number();
  }

  @Override
  public void observe(Events events) {
    observers.add(events);
    if (ended) {
      events.ended();
    }
  }

  void accessChanged() {
    observers.forEach(Events::accessChanged);
  }

  void namespacesChanged() {
    observers.forEach(Events::namespacesChanged);
  }

  @Override
  public boolean isAlive() {
    return !ended;
  }

  /** Ends the association from the side of the target. */
  void end() {
    ended = true;
    observers.forEach(Events::ended);
  }

  @Override
  public void close() {
    end();
    subsystem.left(this);
  }

  boolean uses(Listener one) {
    return listener == one;
  }

  boolean isOf(String nqn) {
    return host.nqn().equals(nqn);
  }

  void describe(ObjectNode entry) {
    entry.put("cntlid", controller).put("cntrltype", "io").put("hostnqn", host.nqn());
    entry.put(
        "hostid", UUID.nameUUIDFromBytes(host.nqn().getBytes(StandardCharsets.UTF_8)).toString());
    entry.put("num_io_qpairs", 1);
  }

  /** A namespace through this association. */
  private final class Reached implements ServedNamespace {
    private final Namespace namespace;

    Reached(Namespace namespace) {
      this.namespace = namespace;
    }

    @Override
    public int id() {
      return namespace.id();
    }

    @Override
    public UUID uuid() {
      return namespace.uuid();
    }

    @Override
    public int accessGroup() {
      return namespace.group();
    }

    @Override
    public String nguid() {
      return namespace.nguid();
    }

    @Override
    public int blockSize() {
      return namespace.device().blockSize();
    }

    @Override
    public long blocks() {
      return namespace.device().blocks();
    }

    @Override
    public void read(long offset, ByteBuffer target) throws IOException {
      run(device -> device.read(offset, target));
    }

    @Override
    public void write(long offset, ByteBuffer source) throws IOException {
      run(device -> device.write(offset, source));
    }

    @Override
    public void flush() throws IOException {
      run(device -> {});
    }

    @Override
    public void zero(long offset, long length) throws IOException {
      run(device -> device.zero(offset, length));
    }

    /** The access state is read when the command begins; a later change does not stop it. */
    private void run(Namespace.Io io) throws IOException {
      namespace.run(
          device -> {
            if (ended || !subsystem.has(namespace)) {
              throw new IOException(subsystem.nqn() + ": connection lost");
            }
            if (listener.state(namespace.group()) == AnaState.INACCESSIBLE) {
              throw new FabricException(
                  FabricException.INACCESSIBLE, subsystem.nqn() + ": inaccessible by this path");
            }
            io.run(device);
            if (ended) {
              throw new IOException(subsystem.nqn() + ": connection lost");
            }
          });
    }
  }
}
