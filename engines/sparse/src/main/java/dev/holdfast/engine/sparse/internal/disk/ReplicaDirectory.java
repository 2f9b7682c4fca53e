package dev.holdfast.engine.sparse.internal.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedSet;

/**
 * A replica's directory. Names are relative to it and may have one folder in front. Small files are
 * read and replaced as a whole; {@link #open} is for files that are changed in place.
 */
public interface ReplicaDirectory {

  /** Returns the path for messages. */
  String path();

  /**
   * Locks the directory against every other engine of this host, until {@link #unlock}.
   *
   * @return false when another engine holds the lock
   */
  boolean lock() throws IOException;

  /** Releases the lock, if it is held. */
  void unlock() throws IOException;

  /** Returns the names of the files directly in the directory, without folders, sorted. */
  SortedSet<String> files() throws IOException;

  /**
   * Returns the names, with their folder, of the files in a folder; empty when the folder is
   * absent.
   */
  SortedSet<String> files(String folder) throws IOException;

  /** Returns a small file's content, empty when it does not exist. */
  Optional<byte[]> load(String name) throws IOException;

  /**
   * Replaces a small file's content atomically and durably: after a crash it has the old or the new
   * content, after the return the new one.
   */
  void store(String name, byte[] content) throws IOException;

  /** Removes a file durably; succeeds when it is gone already. */
  void remove(String name) throws IOException;

  /** Opens an existing file. */
  ReplicaFile open(String name) throws IOException;

  /** Opens an existing file read-only; changes fail. */
  ReplicaFile openSealed(String name) throws IOException;

  /** Makes a file's content durable and read-only, as far as the file system can. */
  void protect(String name) throws IOException;

  /**
   * Returns a text that changes when a file's content may have changed: its length and modification
   * time.
   */
  String stamp(String name) throws IOException;

  /**
   * Creates a file that consists of one hole and opens it. Its name is durable after {@link #sync}.
   *
   * @throws java.nio.file.FileAlreadyExistsException when a file of this name exists
   */
  ReplicaFile create(String name, long size) throws IOException;

  /**
   * Gives a file a second name, durable after {@link #sync}.
   *
   * @throws java.nio.file.FileAlreadyExistsException when a file of the second name exists
   */
  void link(String existing, String name) throws IOException;

  /**
   * Renames a file and replaces any file of the new name. At any time, also after a crash, the new
   * name refers to the old or the new file. Durable after {@link #sync}.
   */
  void rename(String from, String to) throws IOException;

  /**
   * Gives a file a name in another folder of the same file system, durable when that folder is
   * synced.
   *
   * @throws java.nio.file.FileSystemException when the folder is on another file system, or the
   *     file system allows no further name
   */
  void linkInto(String existing, Path folder, String name) throws IOException;

  /** Returns another folder of this file system, for {@link #linkInto}. */
  ReplicaDirectory elsewhere(Path folder);

  /** Returns whether a file has a name outside of this directory, too. */
  boolean shared(String name) throws IOException;

  /** Returns whether both names exist and refer to the same file. */
  boolean sameFile(String one, String other) throws IOException;

  /**
   * Makes the names in a folder durable, or, with an empty argument, the names directly in the
   * directory.
   */
  void sync(String folder) throws IOException;

  /**
   * Returns a text that changes with every change of a file directly in the directory: names,
   * lengths and modification times. First makes these durable.
   */
  String fingerprint() throws IOException;
}
