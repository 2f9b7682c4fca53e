package dev.holdfast.apiserver.internal.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples of RFC 6902 and RFC 7386, and what must fail. */
class PatchesTest {
  private final ObjectMapper mapper = new ObjectMapper();

  private JsonNode json(String text) throws Exception {
    return mapper.readTree(text.replace('\'', '"'));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'a':'b'}|{'a':'c'}|{'a':'c'}",
        "{'a':'b'}|{'b':'c'}|{'a':'b','b':'c'}",
        "{'a':'b'}|{'a':null}|{}",
        "{'a':'b','b':'c'}|{'a':null}|{'b':'c'}",
        "{'a':['b']}|{'a':'c'}|{'a':'c'}",
        "{'a':'c'}|{'a':['b']}|{'a':['b']}",
        "{'a':{'b':'c'}}|{'a':{'b':'d','c':null}}|{'a':{'b':'d'}}",
        "{'a':[{'b':'c'}]}|{'a':[1]}|{'a':[1]}",
        "['a','b']|['c','d']|['c','d']",
        "{'a':'b'}|['c']|['c']",
        "{'a':'foo'}|null|null",
        "{'e':null}|{'a':1}|{'e':null,'a':1}",
        "[1,2]|{'a':'b','c':null}|{'a':'b'}",
        "{}|{'a':{'bb':{'ccc':null}}}|{'a':{'bb':{}}}"
      })
  void mergePatches(String document, String patch, String result) throws Exception {
    assertThat(MergePatch.apply(json(document), json(patch))).isEqualTo(json(result));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'foo':'bar'}|[{'op':'add','path':'/baz','value':'qux'}]|{'baz':'qux','foo':'bar'}",
        "{'foo':['bar','baz']}|[{'op':'add','path':'/foo/1','value':'q'}]|{'foo':['bar','q','baz']}",
        "{'foo':['bar']}|[{'op':'add','path':'/foo/-','value':['a']}]|{'foo':['bar',['a']]}",
        "{'foo':['bar']}|[{'op':'add','path':'/foo/1','value':'a'}]|{'foo':['bar','a']}",
        "{'baz':'qux','foo':'bar'}|[{'op':'remove','path':'/baz'}]|{'foo':'bar'}",
        "{'foo':['bar','qux','baz']}|[{'op':'remove','path':'/foo/1'}]|{'foo':['bar','baz']}",
        "{'baz':'qux'}|[{'op':'replace','path':'/baz','value':'boo'}]|{'baz':'boo'}",
        "{'a':{'b':1},'c':{}}|[{'op':'move','from':'/a/b','path':'/c/d'}]|{'a':{},'c':{'d':1}}",
        "{'foo':[1,2,3]}|[{'op':'move','from':'/foo/0','path':'/foo/2'}]|{'foo':[2,3,1]}",
        "{'a':{'b':1}}|[{'op':'copy','from':'/a','path':'/c'}]|{'a':{'b':1},'c':{'b':1}}",
        "{'a':1.0}|[{'op':'test','path':'/a','value':1}]|{'a':1.0}",
        "{'/':9,'~1':10}|[{'op':'test','path':'/~01','value':10}]|{'/':9,'~1':10}",
        "{'foo':'bar'}|[{'op':'add','path':'','value':{'a':1}}]|{'a':1}",
        "{'foo':1}|[{'op':'replace','path':'/foo','value':null}]|{'foo':null}"
      })
  void jsonPatches(String document, String patch, String result) throws Exception {
    assertThat(JsonPatch.apply(json(document), json(patch))).isEqualTo(json(result));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'a':1}|{'op':'add'}|must be a list",
        "{'a':1}|[{'op':'test','path':'/a','value':2}]|test of \"/a\" failed",
        "{'a':1}|[{'op':'test','path':'/a','value':'1'}]|test of \"/a\" failed",
        "{'a':1}|[{'op':'remove','path':'/b'}]|no value at \"/b\"",
        "{'a':1}|[{'op':'replace','path':'/b','value':1}]|no value at \"/b\"",
        "{'a':1}|[{'op':'add','path':'/b/c','value':1}]|no value at \"/b\"",
        "{'a':1}|[{'op':'add','path':'/a/c','value':1}]|neither object nor list",
        "{'a':[1]}|[{'op':'add','path':'/a/2','value':1}]|not an element of a list of 1",
        "{'a':[1]}|[{'op':'remove','path':'/a/01'}]|not an element",
        "{'a':[1]}|[{'op':'remove','path':'/a/-'}]|not an element",
        "{'a':1}|[{'op':'add','path':'a','value':1}]|JSON pointer",
        "{'a':1}|[{'op':'add','path':'/a'}]|needs a value",
        "{'a':1}|[{'op':'grow','path':'/a'}]|unknown operation",
        "{'a':{}}|[{'op':'move','from':'/a','path':'/a/b'}]|into itself",
        "{'a':1}|[{'op':'remove','path':''}]|cannot be removed"
      })
  void jsonPatchesThatDoNotFitFail(String document, String patch, String problem) throws Exception {
    JsonNode target = json(document);
    JsonNode operations = json(patch);
    assertThatThrownBy(() -> JsonPatch.apply(target, operations)).hasMessageContaining(problem);
  }

  @Test
  void copiesShareNoContent() throws Exception {
    JsonNode result =
        JsonPatch.apply(
            json("{'a':{'b':1}}"),
            json(
                "[{'op':'copy','from':'/a','path':'/c'},{'op':'replace','path':'/c/b','value':2}]"));
    assertThat(result).isEqualTo(json("{'a':{'b':1},'c':{'b':2}}"));
  }
}
