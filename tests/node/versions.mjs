// Prints the versions of the packages the tests rely on, as JSON.
import { REVISION } from "three";
import validator from "gltf-validator";

console.log(JSON.stringify({ three: REVISION, validator: validator.version() }));
