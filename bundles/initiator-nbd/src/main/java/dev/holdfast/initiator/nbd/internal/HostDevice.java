package dev.holdfast.initiator.nbd.internal;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One way in which a long-running process turns an NBD export into a block device. Everything that
 * belongs to a volume's device is found again by the path of its run directory, which stands in the
 * process's command line: no recorded number has to be trusted after a crash or a reboot.
 */
interface HostDevice {

  /** Returns the name of the way. */
  String name();

  /** Returns which way is tried first: the highest. */
  int preference();

  /** Returns what the host lacks, with the remedy; empty when nothing. */
  Optional<String> obstacle();

  /** Returns the name of the program that serves devices of this way. */
  String program();

  /**
   * Returns the device that is to be made, when that has to be known before; empty when it comes
   * out in {@link #finish}.
   */
  Optional<String> reserve() throws StorageException;

  /** Makes what the process needs before it starts, and returns its command. */
  List<String> command(Path run, NbdEndpoint endpoint, Optional<String> reserved)
      throws StorageException;

  /** Returns whether the process has come so far that {@link #finish} can follow. */
  boolean isReady(Path run, long pid, Optional<String> reserved) throws StorageException;

  /** Completes the device and returns its path. */
  String finish(Path run, Optional<String> reserved) throws StorageException;

  /** Returns whether the device is the one that the process serves. */
  boolean serves(Path run, long pid, String device) throws StorageException;

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
