package dev.holdfast.initiator.kernel.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostState;
import java.util.Optional;

/** The records of connections, one for each volume. Thread-safe, as far as the caller locks. */
final class ConnectionRecords {
  private final HostState state;
  private final JsonMapper mapper = JsonMapper.builder().build();

  ConnectionRecords(HostState state) {
    this.state = state;
  }

  /** Returns the record of a volume, of any initiator. */
  Optional<ConnectionRecord> read(String volume) throws StorageException {
    Optional<String> json = state.read(volume);
    if (json.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(mapper.readValue(json.get(), ConnectionRecord.class));
    } catch (JsonProcessingException e) {
      throw new StorageException(
          ErrorCode.IO,
          "the record of volume " + volume + " in " + state.directory() + " is damaged",
          e);
    }
  }

  void write(ConnectionRecord record) throws StorageException {
    try {
      state.write(record.volume(), mapper.writeValueAsString(record));
    } catch (JsonProcessingException e) {
      throw new StorageException(ErrorCode.INTERNAL, "connection of " + record.volume(), e);
    }
  }
}
