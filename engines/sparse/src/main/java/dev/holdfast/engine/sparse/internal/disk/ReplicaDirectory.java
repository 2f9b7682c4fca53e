package dev.holdfast.engine.sparse.internal.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedSet;

/**
 * A replica's directory. Names are relative to it and may have one folder in front. Small files are
 * read and replaced whole; {@link #open} is for those that are changed in place.
 */
public interface ReplicaDirectory {

  /** Returns where it is, for messages. */
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

  /** Returns the names, with their folder, of the files in a folder; none when it is not there. */
  SortedSet<String> files(String folder) throws IOException;

  /** Returns a small file's content, empty when it does not exist. */
  Optional<byte[]> load(String name) throws IOException;

  /**
   * Makes a small file have this content, as a whole and durably: after a crash it has the old or
   * the new content, after this returned the new one.
   */
  void store(String name, byte[] content) throws IOException;

  /** Removes a file durably; succeeds when it is gone already. */
  void remove(String name) throws IOException;

  /** Opens an existing file. */
  ReplicaFile open(String name) throws IOException;

  /** Opens an existing file that is never changed; changes of it fail. */
  ReplicaFile openSealed(String name) throws IOException;

  /** Makes a file's content durable and readable only, as far as the file system can. */
  void protect(String name) throws IOException;

  /**
   * Returns a text that changes when the content of a file may have been changed: its length and
   * modification time.
   */
  String stamp(String name) throws IOException;

  /**
   * Makes a file that is one hole and opens it. Its name is durable after {@link #sync}.
   *
   * @throws java.nio.file.FileAlreadyExistsException when there is one of this name
   */
  ReplicaFile create(String name, long size) throws IOException;

  /**
   * Gives a file a second name, durable after {@link #sync}.
   *
   * @throws java.nio.file.FileAlreadyExistsException when there is a file of the second name
   */
  void link(String existing, String name) throws IOException;

  /**
   * Renames a file, in place of any that has the new name. At every moment, a crash included, the
   * new name is that of the old or of the new file. Durable after {@link #sync}.
   */
  void rename(String from, String to) throws IOException;

  /**
   * Gives a file a name in another folder of the same file system, durable when that folder is
   * synced.
   *
   * @throws java.nio.file.FileSystemException when the folder is elsewhere, or no further name fits
   */
  void linkInto(String existing, Path folder, String name) throws IOException;

  /** Returns another folder of this file system, for {@link #linkInto}. */
  ReplicaDirectory elsewhere(Path folder);

  /** Returns whether a file has a name outside of this directory too. */
  boolean shared(String name) throws IOException;

  /** Returns whether both names are there and mean the same file. */
  boolean sameFile(String one, String other) throws IOException;

  /** Makes the names in a folder durable, or, if it is empty, those directly in the directory. */
  void sync(String folder) throws IOException;

  /**
   * Returns a text that changes with every change of a file directly in the directory: names,
   * lengths and modification times. Makes these durable first.
   */
  String fingerprint() throws IOException;
}
