package dev.holdfast.shell.internal;

import dev.holdfast.client.CompletionNames;
import dev.holdfast.error.StorageException;
import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** Completes names of snapshots. */
@Service
public final class SnapshotNames extends StoreCompleter {
  @Override
  List<String> names(CompletionNames candidates) throws StorageException {
    return candidates.snapshots();
  }
}
