package dev.holdfast.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostState;
import java.util.Optional;

/**
 * Records of this host's connections, one per volume, which all initiators share. A record is
 * durable when {@link #write} returns. Thread-safe if the caller holds the lock of the volume.
 */
public final class ConnectionRecords {
  private final HostState state;
  private final JsonMapper mapper = JsonMapper.builder().build();

  /** Creates access to the records in a directory of the host. */
  public ConnectionRecords(HostState state) {
    this.state = state;
  }

  /**
   * Returns the record of a volume, independent of its initiator.
   *
   * @throws StorageException IO when it cannot be read or is damaged
   */
  public Optional<ConnectionRecord> read(String volume) throws StorageException {
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

  /**
   * Returns the record of a volume if an initiator made it.
   *
   * @throws StorageException as {@link #read}
   */
  public Optional<ConnectionRecord> read(String volume, String initiator) throws StorageException {
    return read(volume).filter(record -> record.initiator().equals(initiator));
  }

  /**
   * Replaces the record of a volume.
   *
   * @throws StorageException IO, NO_SPACE
   */
  public void write(ConnectionRecord record) throws StorageException {
    try {
      state.write(record.volume(), mapper.writeValueAsString(record));
    } catch (JsonProcessingException e) {
      throw new StorageException(ErrorCode.INTERNAL, "connection of " + record.volume(), e);
    }
  }
}
