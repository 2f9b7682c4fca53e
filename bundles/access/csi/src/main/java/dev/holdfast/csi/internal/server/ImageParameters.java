package dev.holdfast.csi.internal.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.resource.image.BackingImageSpec;
import io.grpc.StatusException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Parameters of a StorageClass for the backing image of its volumes.
 *
 * @param name of the image
 * @param made spec for an absent image; empty if the class does not define its source
 */
public record ImageParameters(String name, Optional<BackingImageSpec> made) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NAME = "backingImage";
  private static final String OTHER_NAME = "backingImageName";
  private static final String TYPE = "backingImageDataSourceType";
  private static final String PARAMETERS = "backingImageDataSourceParameters";
  private static final String CHECKSUM = "backingImageChecksum";
  private static final String COPIES = "backingImageMinNumberOfCopies";
  private static final String NODES = "backingImageNodeSelector";
  private static final String DISKS = "backingImageDiskSelector";

  /** All names, equal to those of Longhorn. */
  static final List<String> KEYS =
      List.of(NAME, OTHER_NAME, TYPE, PARAMETERS, CHECKSUM, COPIES, NODES, DISKS);

  /**
   * Parses the parameters of a class.
   *
   * @return empty for a class without an image
   * @throws StatusException INVALID_ARGUMENT with the parameter
   */
  public static Optional<ImageParameters> of(Map<String, String> parameters)
      throws StatusException {
    String name = parameters.getOrDefault(NAME, "").strip();
    String other = parameters.getOrDefault(OTHER_NAME, "").strip();
    if (!name.isEmpty() && !other.isEmpty() && !name.equals(other)) {
      throw CsiStatus.invalid(
          at(OTHER_NAME), "\"" + other + "\" is another image than " + NAME + " \"" + name + "\"");
    }
    String image = name.isEmpty() ? other : name;
    for (String key : KEYS) {
      boolean needsImage = !key.equals(NAME) && !key.equals(OTHER_NAME);
      if (image.isEmpty() && needsImage && !parameters.getOrDefault(key, "").isEmpty()) {
        throw CsiStatus.invalid(at(key), "needs " + NAME + ", which names the image");
      }
    }
    if (image.isEmpty()) {
      return Optional.empty();
    } else if (!CsiNames.isResourceName(image)) {
      throw CsiStatus.invalid(
          at(name.isEmpty() ? OTHER_NAME : NAME),
          "\"" + image + "\" is not a name: expected lower-case letters, digits and -");
    }
    return Optional.of(new ImageParameters(image, made(parameters)));
  }

  private static Optional<BackingImageSpec> made(Map<String, String> parameters)
      throws StatusException {
    String type = parameters.getOrDefault(TYPE, "").strip();
    Map<String, String> source = sourceParameters(parameters.getOrDefault(PARAMETERS, ""));
    int copies = copies(parameters.getOrDefault(COPIES, ""));
    if (type.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        BackingImageSpec.EMPTY
            .withSourceType(type)
            .withSourceParameters(source)
            .withChecksum(parameters.getOrDefault(CHECKSUM, "").strip())
            .withMinNumberOfCopies(copies)
            .withNodeSelector(words(parameters.getOrDefault(NODES, "")))
            .withDiskSelector(words(parameters.getOrDefault(DISKS, ""))));
  }

  private static Map<String, String> sourceParameters(String json) throws StatusException {
    Map<String, String> read = new TreeMap<>();
    if (json.isBlank()) {
      return read;
    }
    try {
      JsonNode object = JSON.readTree(json);
      if (!object.isObject()) {
        throw CsiStatus.invalid(at(PARAMETERS), "\"" + json + "\": expected a JSON object");
      }
      for (Map.Entry<String, JsonNode> entry : object.properties()) {
        if (!entry.getValue().isValueNode()) {
          throw CsiStatus.invalid(
              at(PARAMETERS), "\"" + entry.getKey() + "\": expected a text, not an object");
        }
        read.put(entry.getKey(), entry.getValue().asText());
      }
      return read;
    } catch (JsonProcessingException e) {
      throw CsiStatus.invalid(
          at(PARAMETERS), "\"" + json + "\": expected a JSON object: " + e.getOriginalMessage());
    }
  }

  private static int copies(String text) throws StatusException {
    if (text.isBlank()) {
      return 1;
    } else if (!text.strip().matches("[1-9]\\d?")) {
      throw CsiStatus.invalid(at(COPIES), "\"" + text + "\": expected a number from 1 to 20");
    }
    return Integer.parseInt(text.strip());
  }

  private static List<String> words(String text) {
    return Arrays.stream(text.split("[,;]", -1))
        .map(String::strip)
        .filter(word -> !word.isEmpty())
        .toList();
  }

  private static String at(String key) {
    return "parameters[" + key + "]";
  }
}
