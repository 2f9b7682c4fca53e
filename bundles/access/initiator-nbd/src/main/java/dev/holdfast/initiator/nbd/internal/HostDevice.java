package dev.holdfast.initiator.nbd.internal;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A method of converting an NBD export into a block device by long-running processes. All parts of
 * a volume's device are identified by the path of its run directory in the command line of each
 * process. Recorded numbers, which a crash or a reboot invalidates, are not needed.
 */
interface HostDevice {

  /** Returns the name of the way. */
  String name();

  /** Returns the preference among the methods. The highest is tried first. */
  int preference();

  /** Returns the missing prerequisite of the host with the remedy; empty if none is missing. */
  Optional<String> obstacle();

  /** Returns the programs that serve a device of this method, the started one first. */
  List<String> programs();

  /**
   * Returns the device to create if it must be known in advance; empty if {@link #finish}
   * determines it.
   */
  Optional<String> reserve() throws StorageException;

  /** Creates the prerequisites of the process and returns its command. */
  List<String> command(Path run, NbdEndpoint endpoint, Optional<String> reserved)
      throws StorageException;

  /** Returns whether the process is ready for {@link #finish}. */
  boolean isReady(Path run, Optional<String> reserved) throws StorageException;

  /** Completes the device and returns its path. */
  String finish(Path run, NbdEndpoint endpoint, Optional<String> reserved) throws StorageException;

  /** Returns whether devices of this method can grow during use. */
  boolean growsInUse();

  /**
   * Grows a device that was created from a growable endpoint.
   *
   * @throws StorageException UNSUPPORTED when this method cannot; IO
   */
  void grow(String device, long bytes) throws StorageException;

  /** Returns whether the processes of this run directory serve the device. */
  boolean serves(Path run, String device) throws StorageException;

  /**
   * Dismantles the device as far as possible while its process runs.
   *
   * @param device the recorded device, empty if it was never completed
   * @throws StorageException BUSY when it is in use
   */
  void release(Path run, String device) throws StorageException;

  /** Removes the remains of the ended process. */
  void clean(Path run) throws StorageException;
}
