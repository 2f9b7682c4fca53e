package dev.holdfast.engine.spdk.internal.data;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Devices that several users of this engine reach at the same time, each by a connection of its own
 * to one subsystem. Users that come and go one after the other do not disconnect the others: the
 * subsystem is removed with its last user. Thread-safe.
 */
public final class SharedDevices {
  private final Loopback loopback;
  private final Map<String, Users> subsystems = new ConcurrentHashMap<>();

  /** Creates the devices of a target, which nothing uses yet. */
  public SharedDevices(Loopback loopback) {
    this.loopback = loopback;
  }

  /** The users of one subsystem. Its monitor orders them. */
  private static final class Users {
    private int count;
    private boolean kept;
  }

  /** Returns the engine as a host of its target. */
  public Loopback loopback() {
    return loopback;
  }

  /**
   * Connects a user. The subsystem is made if it is not there.
   *
   * @return the user, who ends itself
   */
  public User connect(String nqn, String device) throws StorageException {
    Users users = subsystems.computeIfAbsent(nqn, unused -> new Users());
    synchronized (users) {
      boolean kept = users.count > 0 ? users.kept : loopback.subsystems().find(nqn).isPresent();
      User user = new User(nqn, users, loopback.connect(nqn, device));
      users.kept = kept;
      users.count++;
      return user;
    }
  }

  /** One user of a device. Only its first end counts. Thread-safe. */
  public final class User {
    private final String nqn;
    private final Users users;
    private final BlockDevice device;
    private boolean ended;

    private User(String nqn, Users users, BlockDevice device) {
      this.nqn = nqn;
      this.users = users;
      this.device = device;
    }

    /** Returns the connection, which ends with the user. */
    public BlockDevice device() {
      return device;
    }

    private void end() {
      if (!ended) {
        ended = true;
        device.close();
        users.count--;
      }
    }

    /** Ends the user. The subsystem stays, also after the last user. */
    public void leave() {
      synchronized (users) {
        if (!ended) {
          users.kept = true;
        }
        end();
      }
    }

    /** Ends the user. The subsystem is removed with the last user. */
    public void remove() throws StorageException {
      synchronized (users) {
        users.kept = false;
        end();
        removeUnused();
      }
    }

    /** Ends the user. With the last user the subsystem is removed if the first one made it. */
    public void close() throws StorageException {
      synchronized (users) {
        end();
        removeUnused();
      }
    }

    private void removeUnused() throws StorageException {
      if (users.count == 0 && !users.kept) {
        loopback.remove(nqn);
      }
    }
  }
}
