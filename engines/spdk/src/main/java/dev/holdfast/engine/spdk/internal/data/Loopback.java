package dev.holdfast.engine.spdk.internal.data;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.spdk.internal.calls.Subsystems;
import dev.holdfast.engine.spdk.internal.calls.TargetListener;
import dev.holdfast.engine.spdk.internal.calls.TargetSubsystem;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.UUID;

/**
 * This engine as a host of its own target. Its host name is a secret of one start of the engine:
 * another process of this machine that connects to the loopback address is not admitted.
 * Thread-safe.
 */
public final class Loopback {
  private static final String HOST = "nqn.2026-11.dev.holdfast:engine:";

  private final Subsystems subsystems;
  private final TargetListener listener;
  private final Connector connector;
  private final String host = freshHost();

  /**
   * Creates a host.
   *
   * @param listener address of the target for this engine, on the loopback interface
   */
  public Loopback(Subsystems subsystems, TargetListener listener, Connector connector) {
    this.subsystems = subsystems;
    this.listener = listener;
    this.connector = connector;
  }

  /** Returns a new name of a host, which is a secret. */
  public static String freshHost() {
    return HOST + UUID.randomUUID();
  }

  /** Returns the subsystems of the target. */
  public Subsystems subsystems() {
    return subsystems;
  }

  /** Returns where the target listens for this engine. */
  public TargetListener listener() {
    return listener;
  }

  /** Returns the name by which this start of the engine, and its target, connect. */
  public String host() {
    return host;
  }

  /** Returns whether a host is an engine, of this or of an earlier start. */
  public static boolean isEngine(String host) {
    return host.startsWith(HOST);
  }

  /** Makes a subsystem with a device for this engine alone, in place of an earlier one. */
  public void expose(String nqn, String device, Identity identity) throws StorageException {
    subsystems.delete(nqn);
    subsystems.create(nqn, identity.serial());
    subsystems.addNamespace(nqn, device, identity.nguid(), identity.uuid().toString());
    subsystems.admit(nqn, host);
    subsystems.listen(nqn, listener, true);
  }

  /** Lets this engine use a subsystem that is there, and no earlier engine any more. */
  public void takeOver(String nqn) throws StorageException {
    TargetSubsystem present = subsystems.require(nqn);
    for (String one : present.hosts()) {
      if (isOther(one)) {
        subsystems.reject(nqn, one);
      }
    }
    admitAndListen(present);
  }

  private void admitAndListen(TargetSubsystem present) throws StorageException {
    if (!present.hosts().contains(host)) {
      subsystems.admit(present.nqn(), host);
    }
    if (!present.listeners().contains(listener)) {
      subsystems.listen(present.nqn(), listener, true);
    }
  }

  /** Removes a subsystem unless another engine has taken it over. */
  void remove(String nqn) throws StorageException {
    Optional<TargetSubsystem> present = subsystems.find(nqn);
    if (present.isPresent() && present.get().hosts().stream().noneMatch(this::isOther)) {
      subsystems.delete(nqn);
    }
  }

  private boolean isOther(String one) {
    return isEngine(one) && !one.equals(host);
  }

  /** Connects to a subsystem that admits this engine. */
  public BlockDevice connect(String nqn) throws StorageException {
    return connector.connect(listener.address(), nqn, host);
  }

  /**
   * Connects to a device by a subsystem of its own, which is made if it is not there.
   *
   * @return the device, which the caller closes; the subsystem stays
   */
  public BlockDevice connect(String nqn, String device) throws StorageException {
    Optional<TargetSubsystem> present = subsystems.find(nqn);
    if (present.isPresent() && !present.get().device().isEmpty()) {
      admitAndListen(present.get());
    } else {
      expose(nqn, device, Identity.of(nqn));
    }
    return connect(nqn);
  }
}
