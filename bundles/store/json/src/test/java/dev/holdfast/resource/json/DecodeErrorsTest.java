package dev.holdfast.resource.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.InvalidResourceException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecodeErrorsTest {
  private static final String HEAD = "\"apiVersion\":\"holdfast.dev/v1\",\"kind\":\"Volume\",";

  private final ResourceJson json = new ResourceJson();

  private InvalidResourceException strictError(ResourceKind<?> kind, String text) {
    return catchThrowableOfType(
        InvalidResourceException.class, () -> json.decode(kind, text, ResourceJson.Mode.STRICT));
  }

  private List<String> strictErrors(String fields) {
    return strictError(Volume.KIND, "{" + HEAD + fields + "}").errors().stream()
        .map(error -> error.field() + ": " + error.message())
        .toList();
  }

  @Test
  void anUnknownFieldIsNamedByItsPath() {
    InvalidResourceException e =
        strictError(
            Volume.KIND,
            "{" + HEAD + "\"metadata\":{\"name\":\"data\"},\"spec\":{\"siez\":\"1Gi\"}}");

    assertThat(e.code()).isEqualTo(ErrorCode.INVALID);
    assertThat(e).hasMessage("Volume.holdfast.dev \"data\" is invalid: spec.siez: unknown field");
  }

  @Test
  void anUnknownFieldIsNamedOnEveryLevel() {
    assertThat(
            strictErrors(
                "\"spce\":{},\"metadata\":{\"nmae\":1},"
                    + "\"status\":{\"replicas\":[{\"name\":\"r\"},{\"nam\":\"s\"}]}"))
        .containsExactly(
            "spce: unknown field",
            "metadata.nmae: unknown field",
            "status.replicas[1].nam: unknown field");
  }

  @Test
  void errorOfAWrongTypeNamesTheExpectedType() {
    assertThat(
            strictErrors(
                "\"metadata\":{\"labels\":{\"app\":5},\"finalizers\":\"x\"},"
                    + "\"spec\":{\"size\":\"much\",\"numberOfReplicas\":\"3\","
                    + "\"disableFrontend\":1,\"accessMode\":\"rw\",\"nodeSelector\":[null]}"))
        .containsExactly(
            "metadata.labels[app]: Invalid value: 5: must be a string",
            "metadata.finalizers: Invalid value: \"x\": must be a list",
            "spec.size: Invalid value: \"much\": \"much\" is not a quantity: expected a number with a"
                + " unit such as 1Gi or 500M",
            "spec.numberOfReplicas: Invalid value: \"3\": must be an integer of 32 bits",
            "spec.accessMode: Unsupported value: \"rw\": supported values: \"rwo\", \"rwx\","
                + " \"rox\"",
            "spec.disableFrontend: Invalid value: 1: must be true or false",
            "spec.nodeSelector[0]: Invalid value: null: must not be null");
  }

  @Test
  void anEntryOfAMapIsNamedByItsKey() {
    InvalidResourceException e =
        strictError(
            VolumeAttachment.KIND,
            """
            {"apiVersion": "holdfast.dev/v1", "kind": "VolumeAttachment",
             "spec": {"volume": "v", "attachmentTickets": {"csi-1": {"generation": 1.5}}}}
            """);

    assertThat(e.errors())
        .extracting(FieldError::field)
        .containsExactly("spec.attachmentTickets[csi-1].generation");
  }

  @Test
  void partsOtherThanObjectsAreRefused() {
    assertThat(strictErrors("\"metadata\":[],\"spec\":\"x\",\"status\":5"))
        .containsExactly(
            "metadata: Invalid value: []: must be an object",
            "spec: Invalid value: \"x\": must be an object",
            "status: Invalid value: 5: must be an object");
    assertThat(strictError(Volume.KIND, "[]")).isNotNull();
  }

  @Test
  void anotherKindOrVersionIsRefused() {
    InvalidResourceException other =
        strictError(Volume.KIND, "{\"apiVersion\":\"v2\",\"kind\":\"Pod\"}");
    InvalidResourceException none = strictError(Volume.KIND, "{}");

    assertThat(other.errors()).extracting(FieldError::field).containsExactly("apiVersion", "kind");
    assertThat(none.errors())
        .extracting(FieldError::reason)
        .containsExactly(FieldError.Reason.REQUIRED, FieldError.Reason.REQUIRED);
  }

  @Test
  void lenientIgnoresUnknownFieldsButNotWrongTypes() throws Exception {
    String newer = "{\"spec\":{\"size\":\"1Gi\",\"colour\":\"red\"},\"history\":[]}";
    assertThat(json.decode(Volume.KIND, newer, ResourceJson.Mode.LENIENT).spec().size().bytes())
        .isEqualTo(1L << 30);

    assertThatExceptionOfType(InvalidResourceException.class)
        .isThrownBy(
            () ->
                json.decode(Volume.KIND, "{\"spec\":{\"size\":true}}", ResourceJson.Mode.LENIENT));
  }

  @Test
  void numbersOutOfRangeAreRefused() {
    assertThat(
            strictErrors(
                "\"metadata\":{\"generation\":9223372036854775808},"
                    + "\"spec\":{\"numberOfReplicas\":2147483648,\"size\":-1}"))
        .extracting(error -> error.substring(0, error.indexOf(':')))
        .containsExactly("metadata.generation", "spec.size", "spec.numberOfReplicas");
  }

  @Test
  void invalidTimeIsRejected() {
    assertThat(strictErrors("\"metadata\":{\"creationTimestamp\":\"yesterday\"}").get(0))
        .startsWith("metadata.creationTimestamp: Invalid value: \"yesterday\": must be a time");
    assertThat(strictErrors("\"metadata\":{\"creationTimestamp\":5}")).hasSize(1);
  }

  @Test
  void invalidJsonIsRefused() {
    for (String text : List.of("", "{", "{\"a\":}", "nonsense")) {
      StorageException e = catchThrowableOfType(StorageException.class, () -> json.parse(text));
      assertThat(e).as(text).isNotNull();
      assertThat(e.code()).isEqualTo(ErrorCode.INVALID);
    }
  }
}
