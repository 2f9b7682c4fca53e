package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * State that a replica's directory records.
 *
 * @param promise the latest engine that it admitted
 * @param epoch the latest epoch that it received
 * @param born whether this engine created it; Longhorn's replicas never received an epoch
 * @param boot boot in which the marks were made
 * @param marked regions in which it may differ from the others
 * @param missed regions that absent replicas lack, by identity
 * @param clean whether it was closed cleanly and not changed since
 * @param tampered whether it was closed cleanly and another program has changed it since
 */
public record ReplicaHistory(
    Token promise,
    Epoch epoch,
    boolean born,
    String boot,
    BitSet marked,
    Map<String, BitSet> missed,
    boolean clean,
    boolean tampered) {

  /** Reads the state; fails when a file is damaged. */
  static ReplicaHistory read(ReplicaDirectory directory) throws IOException {
    IntentLog.Content intents =
        IntentLog.read(directory).orElse(new IntentLog.Content("", new BitSet()));
    Optional<String> clean = StateFiles.load(directory, StateFiles.CLEAN, String.class);
    boolean matches = clean.isPresent() && clean.get().equals(directory.fingerprint());
    Optional<Epoch> epoch = StateFiles.load(directory, StateFiles.EPOCH, Epoch.class);
    return new ReplicaHistory(
        StateFiles.load(directory, StateFiles.PROMISE, Token.class).orElse(Token.NONE),
        epoch.orElse(Epoch.NONE),
        epoch.isPresent(),
        intents.boot(),
        intents.marked(),
        missed(directory),
        matches,
        clean.isPresent() && !matches);
  }

  private static Map<String, BitSet> missed(ReplicaDirectory directory) throws IOException {
    Map<String, BitSet> missed = new TreeMap<>();
    for (String file : directory.files(StateFiles.FOLDER)) {
      if (file.startsWith(StateFiles.MISSED_PREFIX) && !file.endsWith(".tmp")) {
        String id = file.substring(StateFiles.MISSED_PREFIX.length());
        StateFiles.load(directory, file, long[].class)
            .ifPresent(words -> missed.put(id, BitSet.valueOf(words)));
      }
    }
    return missed;
  }

  /**
   * Returns the identity of the replica. A directory that Longhorn made receives an identity now.
   */
  static ReplicaIdentity identify(ReplicaLocation location, ReplicaDirectory directory)
      throws IOException, StorageException {
    Optional<ReplicaIdentity> known =
        StateFiles.load(directory, StateFiles.IDENTITY, ReplicaIdentity.class);
    if (known.isEmpty()) {
      ReplicaIdentity adopted = newIdentity(location);
      StateFiles.store(directory, StateFiles.IDENTITY, adopted);
      return adopted;
    }
    if (!known.get().volume().equals(location.volume())) {
      throw new StorageException(
          ErrorCode.INVALID,
          directory.path()
              + " holds a replica of volume "
              + known.get().volume()
              + ", not of "
              + location.volume());
    }
    return known.get();
  }

  public static ReplicaIdentity newIdentity(ReplicaLocation location) {
    return ReplicaIdentity.create(location);
  }
}
