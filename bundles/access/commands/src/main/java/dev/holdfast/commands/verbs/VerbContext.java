package dev.holdfast.commands.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.backupstore.BackupTargets;
import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.error.StorageException;
import dev.holdfast.health.HealthFinding;
import dev.holdfast.mounts.Mounts;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The context of a verb: the store, this host and the user. The command line and the Karaf shell
 * implement it for one call; one thread uses it.
 */
public interface VerbContext {
  /** Returns the store; opens it at the first use. */
  ResourceStore store() throws StorageException;

  /**
   * Returns the members of the cluster.
   *
   * @throws StorageException UNSUPPORTED if another node has them
   */
  ClusterAccess cluster() throws StorageException;

  /**
   * Returns the health problems of the cluster, as the node behind the API reports them.
   *
   * @throws StorageException UNSUPPORTED if that node lacks the bundle; UNREACHABLE
   */
  List<HealthFinding> health() throws StorageException;

  /**
   * Returns a document behind the API that is not a resource.
   *
   * @param path absolute, with its query
   * @throws StorageException with the server's error; UNSUPPORTED without an API; UNREACHABLE
   */
  JsonNode document(String path) throws StorageException;

  /**
   * Stores a document behind the API in a new file on this host, which only its owner can read.
   *
   * @param path absolute, with its query
   * @throws StorageException with the server's error; ALREADY_EXISTS if the file exists;
   *     UNSUPPORTED without an API; UNREACHABLE
   */
  void receiveDocument(Path file, String path) throws StorageException;

  /** Returns address and port of the API, separated by a colon. */
  String server() throws StorageException;

  /** Waits until the node on this host answers, for at most the given time. */
  void awaitNode(Duration limit) throws StorageException;

  /** Returns the mounts of this host. */
  Mounts mounts() throws StorageException;

  /** Returns the state directory of the node on this host, absolute. */
  Path data();

  /** Returns the pid of the node on this host; empty if it does not run. */
  OptionalLong pid() throws StorageException;

  /**
   * Returns the installed kinds of backup targets.
   *
   * @throws StorageException UNSUPPORTED if a plugin cannot be loaded
   */
  BackupTargets backupTargets() throws StorageException;

  /**
   * Returns the size of a file on this host.
   *
   * @throws StorageException NOT_FOUND if it is not a file
   */
  long sizeOf(Path file) throws StorageException;

  /**
   * Sends a file on this host to a subresource behind the API.
   *
   * @param subresource with its query
   * @throws StorageException with the server's error; UNREACHABLE
   */
  void send(Path file, ResourceKind<?> kind, String name, String subresource)
      throws StorageException;

  /**
   * Stores the answer of a subresource behind the API in a new file on this host.
   *
   * @param subresource with its query
   * @throws StorageException with the server's error; ALREADY_EXISTS if the file exists;
   *     UNREACHABLE
   */
  void receive(Path file, ResourceKind<?> kind, String name, String subresource)
      throws StorageException;

  /** Returns a variable of the user, such as a credential of a target; empty if it is not set. */
  Optional<String> variable(String name);

  /**
   * Reads a value that must not be an argument, because other users can see arguments: a file on
   * this host, or the standard input, which a terminal does not show.
   *
   * @throws StorageException NOT_FOUND if the file cannot be read; UNSUPPORTED without a terminal
   */
  byte[] hiddenValue(Optional<Path> file) throws StorageException;

  /**
   * Asks the user on the terminal.
   *
   * @param question the complete text of the question
   * @return the typed line; empty without a terminal, or at the end of its input
   */
  Optional<String> answer(String question) throws StorageException;

  /** Returns the clock for ages and times. */
  Clock clock();

  /** Shows the user one line with the reason of the verb's wait. */
  void progress(String line);

  /** Shows the user a warning although the verb succeeds. */
  void warn(String text);

  /** Reports to the user that a part of the work failed. */
  void report(StorageException failure);
}
