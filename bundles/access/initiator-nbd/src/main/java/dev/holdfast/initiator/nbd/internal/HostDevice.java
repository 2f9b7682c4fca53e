package dev.holdfast.initiator.nbd.internal;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One way in which long-running processes turn an NBD export into a block device. Everything that
 * belongs to a volume's device is found again by the path of its run directory, which stands in the
 * command line of each process: no recorded number has to be trusted after a crash or a reboot.
 */
interface HostDevice {

  /** Returns the name of the way. */
  String name();

  /** Returns which way is tried first: the highest. */
  int preference();

  /** Returns what the host lacks, with the remedy; empty when nothing. */
  Optional<String> obstacle();

  /** Returns the programs that serve a device of this way: the one that is started is the first. */
  List<String> programs();

  /**
   * Returns the device that is to be made, when that has to be known before; empty when it comes
   * out in {@link #finish}.
   */
  Optional<String> reserve() throws StorageException;

  /** Makes what the process needs before it starts, and returns its command. */
  List<String> command(Path run, NbdEndpoint endpoint, Optional<String> reserved)
      throws StorageException;

  /** Returns whether the process has come so far that {@link #finish} can follow. */
  boolean isReady(Path run, Optional<String> reserved) throws StorageException;

  /** Completes the device and returns its path. */
  String finish(Path run, NbdEndpoint endpoint, Optional<String> reserved) throws StorageException;

  /** Returns whether a device of this way can grow while it is used. */
  boolean growsInUse();

  /**
   * Makes a device larger that was made of a growable endpoint.
   *
   * @throws StorageException UNSUPPORTED when this way cannot; IO
   */
  void grow(String device, long bytes) throws StorageException;

  /** Returns whether the device is the one that the processes of this run directory serve. */
  boolean serves(Path run, String device) throws StorageException;

  /**
   * Takes the device apart as far as possible while its process still runs.
   *
   * @param device as recorded, empty when it was never finished
   * @throws StorageException BUSY when it is in use
   */
  void release(Path run, String device) throws StorageException;

  /** Removes what the ended process left. */
  void clean(Path run) throws StorageException;
}
